/**
 * Contracts of servers that are not yours, as TypeScript code. On a command line it is `treadle-typegen`.
 */
export { contractOf, type Contract, type ContractNote, type ContractSettings } from "./Typegen.ts"
