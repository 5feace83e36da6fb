/**
 * What the running balance of a statement proves: which columns have the amounts, and whether amounts without a sign came or went.
 * From one line to the next the balance changes by an amount. The oldest line may stand first or last.
 */
import { type DecimalSign, readAmount } from '../../written/amount.ts'
import type { Seen } from './file.ts'

type Proven = Partial<Record<'amount' | 'debit' | 'credit' | 'balance', number>>

/**
 * Returns the places of the amounts and of the balance, or null if the balance does not prove exactly one choice. `columns`: the
 * cells of each column of numbers, of the same lines.
 */
export function findByBalance(columns: ReadonlyMap<number, readonly string[]>): Proven | null {
  const found = new Map<string, Proven>()
  for (const sign of ['.', ','] as const)
    for (const proven of provenWith(sign, columns)) found.set(JSON.stringify(proven), proven)
  const [only, ...others] = found.values()
  return others.length === 0 && only ? only : null
}

function provenWith(sign: DecimalSign, columns: ReadonlyMap<number, readonly string[]>): Proven[] {
  const read = [...columns].map(([at, cells]) => ({ at, minors: cells.map((cell) => minorOf(cell, sign)) }))
  return read.flatMap((balance) => {
    const others = read.filter((each) => each !== balance)
    const single = others
      .filter(({ minors }) => isProven(minors, balance.minors))
      .map(({ at }): Proven => ({ amount: at, balance: balance.at }))
    const pairs = others.flatMap((debit) =>
      others
        .filter(
          (credit) => credit !== debit && isProven(difference(debit.minors, credit.minors), balance.minors),
        )
        .map((credit): Proven => ({ debit: debit.at, credit: credit.at, balance: balance.at })),
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

function isProven(amounts: readonly number[], balances: readonly number[]): boolean {
  const steps = balances.slice(1).map((balance, at) => balance - (balances[at] ?? 0))
  const isOldestFirst = steps.every((step, at) => step === amounts[at + 1])
  const isNewestFirst = steps.every((step, at) => 0 - step === amounts[at])
  return steps.length > 0 && amounts.every((amount) => amount !== 0) && (isOldestFirst || isNewestFirst)
}

/** How many amounts without a sign came by the balance, and the first one that went. */
export type Direction = { came: number; went: Seen | null }
type Line = Seen & { minor: number; balance: number }

/** Follows the lines of a file. An amount or a balance that cannot be read for certain begins anew. */
export function newDirection(digits: number): {
  see(line: number, amount: string, balance: string): void
  found(): Direction
} {
  const oldestFirst = { came: 0, went: null as Seen | null, wents: 0 }
  const newestFirst = { came: 0, went: null as Seen | null, wents: 0 }
  let before: Line | null = null
  const add = (to: typeof oldestFirst, step: number, { text, line, minor }: Line) => {
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
    see(line, text, balanceText) {
      const [minor, balance] = [plain(text), plain(balanceText)]
      const now = minor === null || balance === null || minor === 0 ? null : { text, line, minor, balance }
      if (now && before) {
        add(oldestFirst, now.balance - before.balance, now)
        add(newestFirst, before.balance - now.balance, before)
      }
      before = now
    },
    found() {
      const isOldestFirst = oldestFirst.came + oldestFirst.wents >= newestFirst.came + newestFirst.wents
      const { came, went } = isOldestFirst ? oldestFirst : newestFirst
      return { came, went }
    },
  }
}
