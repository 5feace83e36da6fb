/** The guarded acts on accounts: where the money of a shop's payments goes. */
import { secretNames, settingNames } from '../../accounts/driver-settings.ts'
import { type AccountView, allowAccount, type Sharing } from '../../accounts/manage.ts'
import { rotateAccount, type SetAccount, setAccount } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { type AccountRecord, listAccounts } from '../../storage/accounts/accounts.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { confirmIdentity } from '../account-identity.ts'
import { digestOf, type Fact, type Shown, shopFact, textFact, tickFact } from './facts.ts'
import type { Guarded, ProposalReader, Stake } from './stake.ts'

type WantedAccount = Omit<Parameters<typeof setAccount>[1], 'expect'>
/** `seen`: the accounts that it may replace, as the proposer saw them. */
type Setting = { wanted: WantedAccount; unchecked: boolean; seen?: string }
type Rotation = { accountId: string; written: Record<string, string>; unchecked: boolean; seen?: string }
type Allowing = Sharing & { seen?: string }

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

const ofRoute = (all: readonly AccountRecord[], { merchantId, route }: WantedAccount): AccountRecord[] =>
  all.filter((each) => each.owner === merchantId && each.route === route)

const seenAccounts = (all: readonly AccountRecord[], wanted: WantedAccount): string =>
  versionOf(ofRoute(all, wanted).map(stateOf))

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
function settingFacts(
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

const listText = (texts: readonly string[]): Shown =>
  texts.length === 0 ? { word: 'none' } : { text: texts.join(', ') }

async function wantedFacts(ctx: Context, wanted: WantedAccount): Promise<Fact[]> {
  const { merchantId, route, driver, currencies, written, keepsOthers } = wanted
  const present = ofRoute(await listAccounts(ctx.db), wanted).filter(({ retiredAt }) => retiredAt === null)
  const replaced = present.map((each) => `${each.id} ${each.driver} ${each.currencies.join(', ')}`)
  const [old] = present.filter((each) => each.driver === driver)
  return [
    ...(await shopFact(ctx, merchantId)),
    { name: 'route', after: { text: route }, before: listText(replaced) },
    ...textFact('driver', driver),
    { name: 'currencies', after: currencies ? listText(currencies) : { word: 'all' } },
    ...tickFact('keepsOthers', keepsOthers),
    ...settingFacts(driver, written, old?.settings ?? null),
  ]
}

export async function accountFacts(ctx: Context, accountId: string): Promise<Fact[]> {
  const record = await findRecord(ctx, accountId)
  if (!record) return textFact('account', accountId)
  const { route, driver, currencies } = record
  return [
    ...textFact('account', `${accountId} ${route} ${driver} ${currencies.join(', ')}`),
    ...(await shopFact(ctx, record.owner)),
  ]
}

const set: Guarded<Setting, SetAccount> = {
  async stake(ctx, args) {
    const { wanted } = args
    const { merchantId, route, driver } = wanted
    // What can never be granted is refused at once, and no mistyped name is taken for one that may be shown.
    await rehearsed(ctx.db, (db) => setAccount({ ...ctx, db }, wanted))
    const seen = args.seen ?? seenAccounts(await listAccounts(ctx.db), wanted)
    return redirecting(merchantId, `${merchantId} ${route}, driver ${driver}`, { ...args, seen })
  },
  hasMoved: async (ctx, { wanted, seen }) =>
    seen !== undefined && seen !== seenAccounts(await listAccounts(ctx.db), wanted),
  shows: {
    wanted: ({ ctx, args }) => wantedFacts(ctx, args.wanted),
    unchecked: ({ args }) => tickFact('unchecked', args.unchecked),
    seen: 'bound',
  },
  run: (ctx, { wanted, unchecked, seen }) =>
    setAccount(
      ctx,
      {
        ...wanted,
        ...(seen !== undefined && {
          expect: (all) => expectSeen(ofRoute(all, wanted).map(stateOf), seen),
        }),
      },
      confirmIdentity(ctx, { unchecked }),
    ),
}

/** The same contract with new secrets, about which the provider was asked, leads no money anywhere else. */
const isSameContract = ({ driver, settings }: AccountRecord, { written, unchecked }: Rotation): boolean => {
  const secrets = secretNames(driver, written.FISCAL ?? settings.FISCAL)
  return (
    !unchecked &&
    Object.entries(written).every(([name, text]) => secrets.includes(name) || settings[name] === text)
  )
}

const rotate: Guarded<Rotation, void> = {
  async stake(ctx, args) {
    const { accountId, written } = args
    await rehearsed(ctx.db, (db) => rotateAccount({ ...ctx, db }, accountId, written))
    const record = await findRecord(ctx, accountId)
    const seen = args.seen ?? (await versionSeen(ctx, accountId))
    const names = Object.keys(written).join(', ')
    return {
      ...redirecting(record?.owner ?? null, `${accountId} ${names}`, { ...args, seen }),
      isFree: record !== null && isSameContract(record, args),
    }
  },
  hasMoved: hasAccountMoved,
  shows: {
    accountId: ({ ctx, args }) => accountFacts(ctx, args.accountId),
    async written({ ctx, args }) {
      const record = await findRecord(ctx, args.accountId)
      return settingFacts(record?.driver ?? '', args.written, record?.settings ?? null)
    },
    unchecked: ({ args }) => tickFact('unchecked', args.unchecked),
    seen: 'bound',
  },
  async run(ctx, { accountId, written, unchecked, seen }) {
    await rotateAccount(ctx, accountId, written, confirmIdentity(ctx, { unchecked }), (record) => {
      if (seen !== undefined) expectSeen(stateOf(record), seen)
    })
  },
}

const allow: Guarded<Allowing, AccountView> = {
  async stake(ctx, args) {
    const { accountId, merchantId, allowed } = args
    await rehearsed(ctx.db, (db) => allowAccount({ ...ctx, db }, args))
    const seen = args.seen ?? (await versionSeen(ctx, accountId))
    const stake = redirecting(merchantId, `${accountId} ${merchantId}`, { ...args, seen })
    return { ...stake, isFree: !allowed }
  },
  hasMoved: hasAccountMoved,
  shows: {
    accountId: ({ ctx, args }) => accountFacts(ctx, args.accountId),
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    allowed: ({ args }) => tickFact('mayUse', args.allowed),
    seen: 'bound',
  },
  async run(ctx, { seen, ...args }) {
    await expectAccount(ctx, args.accountId, seen)
    return allowAccount(ctx, args)
  },
}

export const GUARDED_ACCOUNTS = {
  'account set': set,
  'account rotate': rotate,
  'account allow': allow,
}
