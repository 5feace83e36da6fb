/** What a second person reads of an account, and what binds a proposal to it: where the money of a shop's payments goes. */
import { secretNames, settingNames } from '../../accounts/driver-settings.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { type AccountRecord, listAccounts } from '../../storage/accounts/accounts.ts'
import { digestOf, type Fact, type Shown, shopFact, textFact } from './facts.ts'
import type { ProposalReader, Stake } from './stake.ts'

/** A shop and a route of it. */
export type OfRoute = { merchantId: string; route: ProviderRoute }

export const redirecting = <Args>(merchantId: string | null, about: string, args: Args): Stake<Args> => ({
  money: null,
  merchantId,
  about,
  args,
})

/** What binds a proposal to an account: every change that a person makes raises the version. */
export const stateOf = ({ id, version, retiredAt, superseded }: AccountRecord) => ({
  id,
  version,
  retiredAt,
  superseded,
})

const ofRoute = (all: readonly AccountRecord[], { merchantId, route }: OfRoute): AccountRecord[] =>
  all.filter((each) => each.owner === merchantId && each.route === route)

/** The accounts that a new one may replace. */
export const statesOf = (all: readonly AccountRecord[], wanted: OfRoute) => ofRoute(all, wanted).map(stateOf)

export const statesSeen = async ({ db }: Pick<ProposalReader, 'db'>, wanted: OfRoute): Promise<string> =>
  versionOf(statesOf(await listAccounts(db), wanted))

export async function findRecord(
  { db }: Pick<ProposalReader, 'db'>,
  accountId: string,
): Promise<AccountRecord | null> {
  return (await listAccounts(db)).find(({ id }) => id === accountId) ?? null
}

export const versionSeen = async (ctx: Pick<ProposalReader, 'db'>, accountId: string): Promise<string> => {
  const record = await findRecord(ctx, accountId)
  return versionOf(record && stateOf(record))
}

export async function hasAccountMoved(
  ctx: ProposalReader,
  { accountId, seen }: { accountId: string; seen?: string | undefined },
): Promise<boolean> {
  return seen !== undefined && seen !== (await versionSeen(ctx, accountId))
}

export async function expectAccount(
  ctx: Context,
  accountId: string,
  seen: string | undefined,
): Promise<void> {
  if (seen === undefined) return
  const record = await findRecord(ctx, accountId)
  expectSeen(record && stateOf(record), seen)
}

/** Each setting with what it replaces. Secrets, and names that the driver does not know, are shown as digests. */
export function settingFacts(
  driver: string,
  written: Record<string, string>,
  before: Record<string, string> | null,
): Fact[] {
  const fiscal = written.FISCAL ?? before?.FISCAL
  const known = settingNames(driver, fiscal)
  const secrets = secretNames(driver, fiscal)
  return Object.entries(written).map(([of, text]): Fact => {
    const isOpen = known.includes(of) && !secrets.includes(of)
    const after: Shown = isOpen ? { text } : digestOf(text)
    const old = before?.[of]
    return {
      name: 'setting',
      of,
      after,
      ...(isOpen && old !== undefined && old !== text && { before: { text: old } }),
    }
  })
}

export const listShown = (texts: readonly string[]): Shown =>
  texts.length === 0 ? { word: 'none' } : { text: texts.join(', ') }

/** Returns the accounts in use that a new one of the route replaces. */
export const presentOf = async (
  { db }: Pick<ProposalReader, 'db'>,
  wanted: OfRoute,
): Promise<AccountRecord[]> =>
  ofRoute(await listAccounts(db), wanted).filter(({ retiredAt }) => retiredAt === null)

export async function accountFacts(ctx: Context, accountId: string): Promise<Fact[]> {
  const record = await findRecord(ctx, accountId)
  if (!record) return textFact('account', accountId)
  const { route, driver, currencies } = record
  return [
    ...textFact('account', `${accountId} ${route} ${driver} ${currencies.join(', ')}`),
    ...(await shopFact(ctx, record.owner)),
  ]
}
