/** Days and times as people and banks write them: the moment that is meant, or none. */
import { describe, expect, test } from 'vitest'
import { type DayOrder, readTime } from './time.ts'

const read = (text: string, order: DayOrder = 'ymd', timeZone = 'UTC') =>
  readTime(text, { order, timeZone })?.toISOString().replace('.000Z', 'Z') ?? null

describe('days', () => {
  test.each<[string, DayOrder, string | null]>([
    ['2026-11-28', 'ymd', '2026-11-28T00:00:00Z'],
    ['2026/11/28', 'ymd', '2026-11-28T00:00:00Z'],
    ['28.11.2026', 'dmy', '2026-11-28T00:00:00Z'],
    ['8.1.2026', 'dmy', '2026-01-08T00:00:00Z'],
    ['11/28/2026', 'mdy', '2026-11-28T00:00:00Z'],
    ['11/28/2026', 'dmy', null],
    ['2026-11-28', 'dmy', null],
    ['28.11.26', 'dmy', '2026-11-28T00:00:00Z'],
    ['28.11.26', 'ymd', null],
    ['28.11.026', 'dmy', null],
    ['28.11.20261', 'dmy', null],
    ['20261128', 'ymd', '2026-11-28T00:00:00Z'],
    ['28112026', 'dmy', '2026-11-28T00:00:00Z'],
    ['28112026', 'ymd', null],
    ['45989', 'ymd', null],
    ['2026-02-30', 'ymd', null],
    ['2028-02-29', 'ymd', '2028-02-29T00:00:00Z'],
    ['2026-02-29', 'ymd', null],
    ['2026-13-01', 'ymd', null],
    ['0026-11-28', 'ymd', null],
    ['28.11.2026г.', 'dmy', '2026-11-28T00:00:00Z'],
    ['28.11.2026 г', 'dmy', '2026-11-28T00:00:00Z'],
    ['28.11.2026 approx', 'dmy', null],
    ['yesterday', 'ymd', null],
    ['', 'ymd', null],
  ])('%s as %s', (text, order, expected) => expect(read(text, order)).toBe(expected))

  test.each([
    '28 Nov 2026',
    '28-Nov-26',
    'Nov 28, 2026',
    'November 28 2026',
    '28 ноя. 2026',
    '28 ноября 2026 г.',
    '28 Նոյեմբերի 2026',
    '28 նոյ 2026',
    '28. November 2026',
    '2026-Nov-28',
    '28/nov/2026',
  ])('%s needs no order', (text) => {
    for (const order of ['ymd', 'dmy', 'mdy'] as const)
      expect([order, read(text, order)]).toEqual([order, '2026-11-28T00:00:00Z'])
  })

  test('a year of two digits before the name of the month', () => {
    expect(read('26-Nov-28', 'yymmdd')).toBe('2026-11-28T00:00:00Z')
    expect(read('26-Nov-28', 'dmy')).toBe('2028-11-26T00:00:00Z')
    expect(read('28 Nov 2026', 'yymmdd')).toBe('2026-11-28T00:00:00Z')
    expect(read('05-Nov-28', 'yymmdd')).toBeNull()
    expect(read('26th Nov 28', 'yymmdd')).toBeNull()
  })

  test.each(['31 Nov 2026', '28 Foo 2026', '28 ju 2026', 'Nov 2026'])('%s is no day', (text) =>
    expect(read(text)).toBeNull(),
  )
  test('each month by its short name', () => {
    const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
    const russian = ['янв', 'фев', 'мар', 'апр', 'мая', 'июн', 'июл', 'авг', 'сен', 'окт', 'ноя', 'дек']
    const german = ['Jan', 'Feb', 'März', 'Apr', 'Mai', 'Juni', 'Juli', 'Aug', 'Sept', 'Okt', 'Nov', 'Dez']
    for (const names of [months, russian, german])
      expect(names.map((name) => read(`5 ${name} 2026`)?.slice(5, 7))).toEqual(
        Array.from({ length: 12 }, (_, at) => String(at + 1).padStart(2, '0')),
      )
  })
})

describe('times and zones', () => {
  test.each<[string, DayOrder, string | null]>([
    ['2026-11-28 10:15', 'ymd', '2026-11-28T10:15:00Z'],
    ['2026-11-28T10:15:30.123Z', 'ymd', '2026-11-28T10:15:30Z'],
    ['2026-11-28 10:15:30 +0400', 'ymd', '2026-11-28T06:15:30Z'],
    ['2026-11-28T10:15:30+04', 'ymd', '2026-11-28T06:15:30Z'],
    ['2026-11-28 10:15:30 -03:30', 'ymd', '2026-11-28T13:45:30Z'],
    ['2026-11-28 10:15:30 GMT+4', 'ymd', '2026-11-28T06:15:30Z'],
    ['2026-11-28 10:15:30 UTC+04:00', 'ymd', '2026-11-28T06:15:30Z'],
    ['2026-11-28 10:15:30 UTC', 'ymd', '2026-11-28T10:15:30Z'],
    ['11/28/2026 1:05:09 PM', 'mdy', '2026-11-28T13:05:09Z'],
    ['11/28/2026 12:05 am', 'mdy', '2026-11-28T00:05:00Z'],
    ['11/28/2026 13:05 PM', 'mdy', null],
    ['11/28/2026 07:47:30 PDT', 'mdy', '2026-11-28T14:47:30Z'],
    ['28.11.2026 14.05', 'dmy', '2026-11-28T14:05:00Z'],
    ['28.11.2026г. 14:05', 'dmy', '2026-11-28T14:05:00Z'],
    ['28 Nov 2026, 14:05 CET', 'dmy', '2026-11-28T13:05:00Z'],
    ['20261128101530', 'ymd', '2026-11-28T10:15:30Z'],
    ['20261128101530.000[-5:EST]', 'ymd', '2026-11-28T15:15:30Z'],
    ['20261128101530[+5.50:IST]', 'ymd', '2026-11-28T04:45:30Z'],
    ['2026-11-28 25:61', 'ymd', null],
    ['2026-11-28 24:00', 'ymd', null],
    ['2026-11-28 10:60', 'ymd', null],
    ['2026-11-28 10:15:30 XYZ', 'ymd', null],
    ['2026-11-28 10:15:30 +99', 'ymd', null],
    ['2026-11-28 10:15:30 1', 'ymd', null],
  ])('%s as %s', (text, order, expected) => expect(read(text, order)).toBe(expected))

  test('without an offset it is the zone of the statement, also where the clocks change', () => {
    expect(read('2026-11-28 10:00', 'ymd', 'Asia/Yerevan')).toBe('2026-11-28T06:00:00Z')
    expect(read('2026-07-02 10:00', 'ymd', 'America/New_York')).toBe('2026-07-02T14:00:00Z')
    expect(read('2026-12-02 10:00', 'ymd', 'America/New_York')).toBe('2026-12-02T15:00:00Z')
  })
  test('a short name with two meanings is the one that the zone has then', () => {
    expect(read('2026-11-28 10:00 AMT', 'ymd', 'Asia/Yerevan')).toBe('2026-11-28T06:00:00Z')
    expect(read('2026-11-28 10:00 AMT')).toBeNull()
    expect(read('2026-11-28 10:00 CST', 'ymd', 'America/Chicago')).toBe('2026-11-28T16:00:00Z')
  })
})
