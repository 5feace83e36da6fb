/**
 * What the running balance of a statement proves: which columns have the amounts, and whether amounts without a sign came or went.
 * From one line to the next the balance changes by an amount. The oldest line may stand first or last.
 */
import { type DecimalSign, readAmount } from '../../written/amount.ts'
import type { DayOrder } from '../../written/time.ts'
import type { SeenText } from './file.ts'
import { daysOf } from './roles.ts'

type BalanceColumns = Partial<Record<'amount' | 'debit' | 'credit' | 'balance', number>>

/**
 * Returns the places of the amounts and of the balance, or null if the balance does not prove exactly one choice. `columns`: the
 * cells of each column of numbers, of the same lines.
 */
export function findByBalance(columns: ReadonlyMap<number, readonly string[]>): BalanceColumns | null {
  const found = new Map<string, BalanceColumns>()
  for (const sign of ['.', ','] as const)
    for (const proven of columnsThatBalance(sign, columns)) found.set(JSON.stringify(proven), proven)
  const [only, ...others] = found.values()
  return others.length === 0 && only ? only : null
}

function columnsThatBalance(
  sign: DecimalSign,
  columns: ReadonlyMap<number, readonly string[]>,
): BalanceColumns[] {
  const read = [...columns].map(([at, cells]) => ({ at, minors: cells.map((cell) => minorOf(cell, sign)) }))
  return read.flatMap((balance) => {
    const others = read.filter((each) => each !== balance)
    const single = others
      .filter(({ minors }) => doesBalance(minors, balance.minors))
      .map(({ at }): BalanceColumns => ({ amount: at, balance: balance.at }))
    const pairs = others.flatMap((debit) =>
      others
        .filter(
          (credit) =>
            credit !== debit && doesBalance(difference(debit.minors, credit.minors), balance.minors),
        )
        .map((credit): BalanceColumns => ({ debit: debit.at, credit: credit.at, balance: balance.at })),
    )
    return [...single, ...pairs]
  })
}

/** Not a number for a text that is no amount. An empty cell has no money. */
function minorOf(text: string, decimalSign: DecimalSign): number {
  if (text === '') return 0
  const read = readAmount(text, { digits: 2, decimalSign })
  if (read.is === 'ambiguous') return decimalSign === '.' ? read.byPoint : read.byComma
  return read.is === 'amount' ? read.minor : Number.NaN
}

/** A line has money in one of two columns. */
const difference = (debits: readonly number[], credits: readonly number[]) =>
  debits.map((debit, at) => {
    const credit = credits[at] ?? 0
    return debit !== 0 && credit !== 0 ? Number.NaN : credit - Math.abs(debit)
  })

function doesBalance(amounts: readonly number[], balances: readonly number[]): boolean {
  const steps = balances.slice(1).map((balance, at) => balance - (balances[at] ?? 0))
  const isOldestFirst = steps.every((step, at) => step === amounts[at + 1])
  const isNewestFirst = steps.every((step, at) => 0 - step === amounts[at])
  return steps.length > 0 && amounts.every((amount) => amount !== 0) && (isOldestFirst || isNewestFirst)
}

/**
 * How many amounts without a sign came by the balance, and the first one that went. `open`: the two first lines of a file that says
 * the one thing from the top and the other from the bottom.
 */
export type Direction = { came: number; went: SeenText | null; open: readonly [SeenText, SeenText] | null }
type BalanceLine = SeenText & { minor: number; balance: number; day: string }
type Sum = { came: number; wents: number; went: SeenText | null }

/** Follows the lines of a file. An amount or a balance that cannot be read for certain begins anew. */
export function newDirection(digits: number): {
  see(line: number, text: string, balanceText: string, day: string): void
  found(orders: readonly DayOrder[]): Direction
} {
  const oldestFirst: Sum = { came: 0, wents: 0, went: null }
  const newestFirst: Sum = { came: 0, wents: 0, went: null }
  let first: BalanceLine | null = null
  let second: BalanceLine | null = null
  let before: BalanceLine | null = null
  const add = (to: Sum, step: number, { text, line, minor }: BalanceLine) => {
    if (step === minor) to.came++
    if (step !== 0 - minor) return
    to.wents++
    to.went ??= { text, line }
  }
  const plain = (text: string) => {
    const read = readAmount(text, { digits })
    return read.is === 'amount' ? read.minor : null
  }
  return {
    see(line, text, balanceText, day) {
      const [minor, balance] = [plain(text), plain(balanceText)]
      const now =
        minor === null || balance === null || minor === 0 ? null : { text, line, minor, balance, day }
      if (now && before) {
        first ??= before
        second ??= now
        add(oldestFirst, now.balance - before.balance, now)
        add(newestFirst, before.balance - now.balance, before)
      }
      before = now
    },
    found(orders) {
      const ahead = oldestFirst.came + oldestFirst.wents - (newestFirst.came + newestFirst.wents)
      const isStated = oldestFirst.came + oldestFirst.wents > 0
      // Equal amounts fit both ways. Then the days say which line is the oldest.
      const way = ahead !== 0 || !first || !before ? ahead : wayOfDays([first.day, before.day], orders)
      const { came, went } = way >= 0 ? oldestFirst : newestFirst
      const open =
        way === 0 && isStated && first && second ? ([seenOf(first), seenOf(second)] as const) : null
      return { came, went, open }
    },
  }
}

const seenOf = ({ text, line }: BalanceLine): SeenText => ({ text, line })

/** Above zero: the days ascend, under each order that they may have. Below zero: they descend. */
function wayOfDays([top, bottom]: [string, string], orders: readonly DayOrder[]): number {
  const [tops, bottoms] = [daysOf(top), daysOf(bottom)]
  const [way = 0, ...others] = new Set(
    orders.map((order) => Math.sign((bottoms.get(order) ?? 0) - (tops.get(order) ?? 0))),
  )
  return others.length === 0 ? way : 0
}
