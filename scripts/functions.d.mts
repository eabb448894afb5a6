export const functionExpressions: (name: string, text: string) => string
export const printFunctions: (folder: string) => void
