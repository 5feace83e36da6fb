/** The acts on the contracts of a shop: a new one, and new credentials for one that is known. No secret is ever shown again. */
import { z } from 'zod'
import { driverNames } from '../../accounts/described.ts'
import { CREDENTIAL_KINDS, CREDENTIALS, secretNames } from '../../accounts/driver-settings.ts'
import { rotateAccount, setAccount } from '../../accounts/set.ts'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { expectSeen } from '../../merchants/version.ts'
import { confirmIdentity } from '../../operator/account-identity.ts'
import {
  accountFacts,
  findRecord,
  hasAccountMoved,
  listShown,
  presentOf,
  redirecting,
  settingFacts,
  stateOf,
  statesOf,
  statesSeen,
  versionSeen,
} from '../../operator/approvals/accounts.ts'
import { shopFact, textFact, tickFact } from '../../operator/approvals/facts.ts'
import { type AccountRecord, listAccounts } from '../../storage/accounts/accounts.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { type AnyRow, act } from '../act.ts'
import { account, bound, choice, oneOfNeeded, seen, settings, severalOf, shop, tick } from '../input.ts'

export const set = act('account set', {
  merchantId: shop(),
  driver: choice({ placeholder: 'D' }),
  route: oneOfNeeded(PROVIDER_ROUTES, { placeholder: 'R' }),
  currencies: severalOf(CURRENCY_CODES, { flag: 'currency', placeholder: 'CUR', isOptional: true }),
  written: settings({
    flag: 'set',
    own: { flag: 'credentials', setting: CREDENTIALS, values: CREDENTIAL_KINDS, placeholder: 'KIND' },
  }),
  unchecked: tick({}),
  // Of a bank account that a shop has asked for.
  keepsOthers: bound(z.boolean().optional()),
  seen: seen(),
})({
  place: 'shop',
  async current(ctx, merchantId) {
    const own = (await listAccounts(ctx.db)).filter(({ owner }) => owner === merchantId)
    return { accounts: own.map(stateOf) }
  },
  choices: { driver: () => driverNames().map((id) => ({ id })) },
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    route: async ({ ctx, args }) => {
      const replaced = (await presentOf(ctx, args)).map(
        ({ id, driver, currencies }) => `${id} ${driver} ${currencies.join(', ')}`,
      )
      return [{ name: 'route', after: { text: args.route }, before: listShown(replaced) }]
    },
    driver: ({ args }) => textFact('driver', args.driver),
    currencies: ({ args: { currencies } }) => [
      { name: 'currencies', after: currencies ? listShown(currencies) : { word: 'all' } },
    ],
    keepsOthers: ({ args }) => tickFact('keepsOthers', args.keepsOthers),
    async written({ ctx, args }) {
      const old = (await presentOf(ctx, args)).find(({ driver }) => driver === args.driver)
      return settingFacts(args.driver, args.written, old?.settings ?? null)
    },
    unchecked: ({ args }) => tickFact('unchecked', args.unchecked),
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args) {
      const { merchantId, route, driver } = args
      // What can never be granted is refused at once, and no mistyped name is taken for one that may be shown.
      await rehearsed(ctx.db, (db) => setAccount({ ...ctx, db }, args))
      const known = args.seen ?? (await statesSeen(ctx, args))
      return redirecting(merchantId, `${merchantId} ${route}, driver ${driver}`, { ...args, seen: known })
    },
    hasMoved: async (ctx, args) => args.seen !== undefined && args.seen !== (await statesSeen(ctx, args)),
  },
  run(ctx, { unchecked = false, seen: known, ...wanted }) {
    const expect = (all: readonly AccountRecord[]) => {
      if (known !== undefined) expectSeen(statesOf(all, wanted), known)
    }
    return setAccount(ctx, { ...wanted, expect }, confirmIdentity(ctx, { unchecked }))
  },
  // The provider is asked whose credentials these are only when they are stored.
  rehearse: (ctx, wanted) => setAccount(ctx, wanted),
  describes: { what: 'account', id: (_given, { accountId }) => String(accountId) },
  result: async (_ctx, { accountId, outcome, retired }) => ({
    facts: { accountId, outcome, replaced: retired },
    textValues: { replaced: retired.join(', ') || 'none' },
  }),
  tells: ['accountId', 'replaced'],
  helpExamples: [
    '--merchant mer_01... --route route_a --driver sandbox --set CUSTOMER=shop-7 --set SECRET=@secret.txt',
    '--merchant mer_01... --route route_b --driver sandbox --currency AMD --set CUSTOMER=shop-7-amd --set SECRET=@secret.txt',
  ],
  examples: async ({ merchantId, contract }) => [
    { merchantId, driver: 'sandbox', route: 'route_a', written: contract() },
    {
      merchantId,
      driver: 'sandbox',
      route: 'route_b',
      currencies: ['AMD', 'USD'],
      written: contract(),
      unchecked: true,
    },
  ],
  formerly: ({ wanted, ...rest }) => ({ ...rest, ...(wanted as object | undefined) }),
})

/** The same contract with new secrets, about which the provider was asked, leads no money anywhere else. */
function isSameContract({ driver, settings: now }: AccountRecord, written: Record<string, string>): boolean {
  const secrets = secretNames(driver, written.FISCAL ?? now.FISCAL)
  return Object.entries(written).every(([name, text]) => secrets.includes(name) || now[name] === text)
}

export const rotate = act('account rotate', {
  accountId: account(),
  written: settings({ flag: 'set' }),
  unchecked: tick({}),
  seen: seen(),
})({
  place: 'account',
  async current(ctx, accountId) {
    const record = await findRecord(ctx, accountId)
    const { owner = null, driver = '', settings: now = {} } = record ?? {}
    return { owner, driver, settings: now, state: record && stateOf(record) }
  },
  notNow: ({ owner }) => (owner === null ? 'acts.account.byEnvironment' : null),
  driverOf: ({ driver, settings: now }) => ({ driver, settings: now }),
  shows: {
    accountId: ({ ctx, args }) => accountFacts(ctx, args.accountId),
    async written({ ctx, args }) {
      const record = await findRecord(ctx, args.accountId)
      return settingFacts(record?.driver ?? '', args.written, record?.settings ?? null)
    },
    unchecked: ({ args }) => tickFact('unchecked', args.unchecked),
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args) {
      const { accountId, written, unchecked = false } = args
      await rehearsed(ctx.db, (db) => rotateAccount({ ...ctx, db }, accountId, written))
      const record = await findRecord(ctx, accountId)
      const known = args.seen ?? (await versionSeen(ctx, accountId))
      const about = `${accountId} ${Object.keys(written).join(', ')}`
      return {
        ...redirecting(record?.owner ?? null, about, { ...args, seen: known }),
        isFree: record !== null && !unchecked && isSameContract(record, written),
      }
    },
    hasMoved: hasAccountMoved,
  },
  run: (ctx, { accountId, written, unchecked = false, seen: known }) =>
    rotateAccount(ctx, accountId, written, confirmIdentity(ctx, { unchecked }), (record) => {
      if (known !== undefined) expectSeen(stateOf(record), known)
    }),
  rehearse: (ctx, { accountId, written }) => rotateAccount(ctx, accountId, written),
  describes: { what: 'account', id: ({ accountId }) => accountId },
  result: async (_ctx, _done, { accountId }) => ({ facts: { accountId } }),
  helpExamples: ['--account acc_01... --set SECRET=@secret.txt'],
  async examples(scene) {
    const accountId = await scene.account()
    return [
      { accountId, written: { SECRET: 'a newer secret of nobody' } },
      { accountId, written: { SECRET: 'the newest secret of nobody' }, unchecked: true },
    ]
  },
})

export const ACCOUNT_SETTING_ACTS: readonly AnyRow[] = [set, rotate]
