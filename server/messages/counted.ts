/** Returns a number with its noun, in English: `1 row`, `2 rows`. For texts that exist in English alone. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`
}
