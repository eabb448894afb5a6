/**
 * Cutting text to a size without cutting a character in two.
 */

/** Whether a cut before this index would part a pair of surrogates. */
const inPair = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/**
 * @param max characters that stay, the marker not counted
 * @param marker follows where something was cut off
 */
export const cutText = (text: string, max: number, marker: string): string => {
  if (text.length <= max) return text
  return text.slice(0, inPair(text, max) ? max - 1 : max) + marker
}

/**
 * @param max bytes in UTF-8 that stay, the marker not counted
 * @param marker follows where something was cut off
 */
export const cutBytes = (text: string, max: number, marker: string): string => {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= max) return text
  let end = max
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return new TextDecoder().decode(bytes.subarray(0, end)) + marker
}
