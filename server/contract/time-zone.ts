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

const DAY_MS = 86_400_000

/** Midnight in UTC of the day that it is in the zone, in milliseconds. */
export function dayOf(moment: Date, zone: string): number {
  const text = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(moment)
  return Date.parse(`${text}T00:00:00Z`)
}

/**
 * The moment at which clocks in the zone show what clocks in UTC show at `local`. For midnight: when the day begins there. If clocks show
 * a time twice, the first one counts. If they skip it, the moment of their change counts.
 */
export function momentOf(local: number, zone: string): Date {
  // No zone is a whole day away from UTC, and none changes its clocks twice within two days.
  const before = offsetOf(new Date(local - DAY_MS), zone)
  const after = offsetOf(new Date(local + DAY_MS), zone)
  const isShown = (offset: number) => offsetOf(new Date(local - offset), zone) === offset
  return new Date(local - (isShown(before) || !isShown(after) ? before : after))
}

/** How far the zone is ahead of UTC, in milliseconds. */
function offsetOf(moment: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  }).formatToParts(moment)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
}
