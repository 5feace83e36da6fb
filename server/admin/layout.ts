/** Lays out results as text: aligned columns, readable amounts and times, and no control characters for the terminal. */

import { readable } from '../contract/one-line.ts'
import { moment } from '../merchants/moment.ts'
import { counted } from '../messages/counted.ts'

export { counted } from '../messages/counted.ts'

import type { OperationRecord } from '../operator/operation-history.ts'
import { readableAmount as amount } from '../payments/money.ts'

export { amount, moment }

const INDENT = '  '
const GAP = '  '

/** Strangers write much of what is shown here. */
export const plain = readable

/** Labels and values in two columns. A row without a value is left out. Each further value of a row gets its own line. */
export function pairs(rows: [label: string, value: string | string[] | null | undefined][]): string {
  const shown = rows.flatMap(([label, value]) => {
    const values = typeof value === 'string' ? [value] : (value ?? [])
    return values.map((each, index): [string, string] => [index === 0 ? label : '', each])
  })
  const width = Math.max(0, ...shown.map(([label]) => label.length))
  return shown.map(([label, value]) => `${INDENT}${label.padEnd(width)}${GAP}${plain(value)}`).join('\n')
}

/** A table with a line of headings. Each column is as wide as its widest cell. */
export function table(headings: string[], rows: string[][]): string {
  const cells = [headings, ...rows.map((row) => row.map(plain))]
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))))
  return cells
    .map((row) => `${INDENT}${row.map((cell, at) => pad(cell, widths[at] ?? 0)).join(GAP)}`.trimEnd())
    .join('\n')
}

function width(text: string): number {
  return [...text].length
}

function pad(text: string, to: number): string {
  return text + ' '.repeat(to - width(text))
}

/** The text of a list: its table with the other paragraphs below, or `none` if it has no rows. */
export function listText(
  headings: string[],
  rows: string[][],
  none: string,
  ...below: (string | null | undefined | false)[]
): string {
  return rows.length > 0 ? paragraphs(table(headings, rows), ...below) : none
}

/** The line below a page of a list: how to see the next page, or how many rows there are. */
export function pageEnd(next: string | null, number: number, noun: string): string {
  return next ? `More: the same with --after ${next}` : counted(number, noun)
}

/** Joins paragraphs with an empty line between them. Empty paragraphs are left out. */
export function paragraphs(...parts: (string | null | undefined | false)[]): string {
  return parts.filter(Boolean).join('\n\n')
}

/** The amount of an operation; empty if it has none. */
export function operationAmount({ amountMinor, currency }: OperationRecord): string {
  return amountMinor !== null && currency ? amount(amountMinor, currency) : ''
}

const DISTANCE = new Intl.RelativeTimeFormat('en')
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** A moment with its distance from now: `2026-08-02 14:03:07 UTC (3 minutes ago)`. */
export function momentFrom(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1]
  const number = Math.trunc(seconds / size)
  return `${moment(at)} (${number === 0 ? 'now' : DISTANCE.format(number, unit)})`
}

/** A duration in days, hours, minutes and seconds: `29d 3h`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  return parts.flatMap(([number, unit]) => (number > 0 ? [`${number}${unit}`] : [])).join(' ') || '0s'
}
