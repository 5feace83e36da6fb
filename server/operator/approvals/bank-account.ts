/** A bank account that a shop asks for: the values of the proposal, and the account that it becomes. */

import { type SetAccount, setAccount } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import type { CurrencyCode, ProviderRoute } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { versionOf } from '../../merchants/version.ts'
import { type AccountRecord, listAccounts } from '../../storage/accounts/accounts.ts'
import { type Fact, type FactName, shopFact, textFact } from './facts.ts'
import type { Guarded } from './stake.ts'

export const BANK_ACCOUNT = 'account ask'

/** As the person has written it. Empty: not given. */
export type BankAccount = {
  merchantId: string
  currency: CurrencyCode
  recipient: string
  bank: string
  account: string
  bic: string
  days: string
  /** The account that it replaces, as it was when it was asked for. Bound to the proposal. */
  seen?: string
}

/** Returns the settings of the driver. */
export function writtenOf({ recipient, bank, account, bic, days }: BankAccount): Record<string, string> {
  const all = { RECIPIENT: recipient, BANK: bank, ACCOUNT: account, BIC: bic, DAYS: days }
  const given = Object.entries(all).map(([name, text]) => [name, text.trim()] as const)
  return Object.fromEntries(given.filter(([, text]) => text !== ''))
}

/** Everything that whoever approves it has to compare, in one line. */
export function detailsOf(given: BankAccount): string {
  const { merchantId, currency } = given
  return `${merchantId} ${currency}: ${lineOf(writtenOf(given))}`
}

function lineOf({ RECIPIENT, BANK, ACCOUNT, BIC, DAYS }: Record<string, string>): string {
  return [RECIPIENT, ACCOUNT, BANK, BIC, DAYS && `${DAYS} days`].filter(Boolean).join(', ')
}

type Present = Pick<AccountRecord, 'id' | 'settings'>

/** Returns the account that the shop's buyers read now in the currency. */
export function presentOf(
  all: readonly AccountRecord[],
  { merchantId, currency }: Pick<BankAccount, 'merchantId' | 'currency'>,
): Present | null {
  const found = all.find(
    ({ owner, route, retiredAt, currencies }) =>
      owner === merchantId && route === 'manual' && retiredAt === null && currencies.includes(currency),
  )
  return found ? { id: found.id, settings: found.settings } : null
}

/** Its state as one text: another account and other details of the same account are different. */
export const seenOf = (all: readonly AccountRecord[], given: BankAccount): string =>
  versionOf(presentOf(all, given))

export const wantedOf = (given: BankAccount) => ({
  merchantId: given.merchantId,
  route: 'manual' as ProviderRoute,
  driver: 'manual',
  currencies: [given.currency],
  written: writtenOf(given),
  keepsOthers: true,
  expect(all: readonly AccountRecord[]): void {
    if (given.seen === undefined || given.seen === seenOf(all, given)) return
    throw new AppError('validation_failed', {
      reason: 'changed_meanwhile',
      message:
        "The shop's account has changed since this was asked for. If it is still right, ask for it again.",
    })
  },
})

const BANK_FACTS: readonly (readonly [FactName, string])[] = [
  ['recipient', 'RECIPIENT'],
  ['bank', 'BANK'],
  ['accountNumber', 'ACCOUNT'],
  ['bic', 'BIC'],
  ['days', 'DAYS'],
]

async function bankFact({ ctx, args }: { ctx: Context; args: BankAccount }, name: FactName): Promise<Fact[]> {
  const present = presentOf(await listAccounts(ctx.db), args)
  const [, setting = ''] = BANK_FACTS.find(([fact]) => fact === name) ?? []
  const [after, before] = [writtenOf(args)[setting], present?.settings[setting]]
  if (after === undefined && before === undefined) return []
  return [
    {
      name,
      after: after === undefined ? { word: 'none' } : { text: after },
      ...(present &&
        after !== before && { before: before === undefined ? { word: 'none' } : { text: before } }),
    },
  ]
}

export const bankAccount: Guarded<BankAccount, SetAccount> = {
  async stake(ctx, args) {
    const seen = seenOf(await listAccounts(ctx.db), args)
    const about = { money: null, merchantId: args.merchantId, about: detailsOf(args) }
    return { ...about, args: { ...args, seen } }
  },
  hasMoved: async (ctx, args) =>
    args.seen !== undefined && args.seen !== seenOf(await listAccounts(ctx.db), args),
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    currency: ({ args }) => textFact('currencies', args.currency),
    recipient: (scene) => bankFact(scene, 'recipient'),
    bank: (scene) => bankFact(scene, 'bank'),
    account: (scene) => bankFact(scene, 'accountNumber'),
    bic: (scene) => bankFact(scene, 'bic'),
    days: (scene) => bankFact(scene, 'days'),
    seen: 'bound',
  },
  run: (ctx, args) => setAccount(ctx, wantedOf(args)),
}
