/** When days begin, where clocks change at midnight too. */
import { expect, test } from 'vitest'
import { dayOf, momentOf } from './time-zone.ts'

const MINUTE_MS = 60_000

test.each([
  ['Asia/Yerevan', '2027-04-30', '2027-04-29T20:00:00Z'],
  // Clocks are put forward from midnight.
  ['Africa/Cairo', '2027-04-30', '2027-04-29T22:00:00Z'],
  ['Africa/Cairo', '2027-05-01', '2027-04-30T21:00:00Z'],
  ['Asia/Beirut', '2027-03-28', '2027-03-27T22:00:00Z'],
  ['America/Havana', '2028-03-12', '2028-03-12T05:00:00Z'],
  // A whole day was left out.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z'],
  ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z'],
  // Clocks are put back to midnight.
  ['Atlantic/Azores', '2027-10-31', '2027-10-31T00:00:00Z'],
  ['Atlantic/Azores', '2027-11-01', '2027-11-01T01:00:00Z'],
  ['America/Havana', '2028-11-05', '2028-11-05T04:00:00Z'],
  // Clocks are put back from midnight to 23:00.
  ['Africa/Cairo', '2027-10-29', '2027-10-28T22:00:00Z'],
  ['Europe/Berlin', '2027-10-31', '2027-10-30T22:00:00Z'],
  ['America/New_York', '2027-11-07', '2027-11-07T04:00:00Z'],
  ['Pacific/Auckland', '2027-09-26', '2027-09-25T12:00:00Z'],
  ['Pacific/Kiritimati', '2027-09-26', '2027-09-25T10:00:00Z'],
])('in %s the %s begins at %s', (zone, day, begins) => {
  const moment = momentOf(Date.parse(day), zone)
  expect(moment.toISOString()).toBe(new Date(begins).toISOString())
  const before = new Date(moment.getTime() - MINUTE_MS)
  expect(dayOf(before, zone)).toBeLessThan(Date.parse(day))
  expect(dayOf(moment, zone)).toBeGreaterThanOrEqual(Date.parse(day))
})
