/** The time zone of a merchant that has not set one. */
export const TIME_ZONE = 'Asia/Yerevan'

export function isTimeZone(text: string): boolean {
  try {
    return (
      /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(text) &&
      new Intl.DateTimeFormat('en', { timeZone: text }) !== null
    )
  } catch {
    return false
  }
}
