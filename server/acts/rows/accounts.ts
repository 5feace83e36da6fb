/** The acts on a shop's accounts at providers. */
import { allowAccount, getAccountView, retireAccount } from '../../accounts/manage.ts'
import { ownByEnvironment } from '../../accounts/set.ts'
import type { Context } from '../../context.ts'
import {
  accountFacts,
  expectAccount,
  findRecord,
  hasAccountMoved,
  redirecting,
  stateOf,
  versionSeen,
} from '../../operator/approvals/accounts.ts'
import { shopFact, textFact, tickFact, yesOrNo } from '../../operator/approvals/facts.ts'
import { bankCustomerSecret } from '../../operator/bank-customer.ts'
import { listMerchantNames, listMerchantsBesides } from '../../storage/merchants/merchants.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { type AnyRow, act, CHOSEN_MAX } from '../act.ts'
import { account, choice, count, seen, text, tick, unless } from '../input.ts'

/** Without the deployment the payments are refused, so no money goes anywhere else. */
export const retire = act('account retire', {
  accountId: account(),
  inFavourOfDeployment: tick({}),
  seen: seen(),
})({
  place: 'account',
  async current(ctx, accountId) {
    const record = await findRecord(ctx, accountId)
    return { owner: record?.owner ?? null, state: record && stateOf(record) }
  },
  notNow: ({ owner }) => (owner === null ? 'acts.account.byEnvironment' : null),
  shows: {
    async accountId({ ctx, args: { accountId } }) {
      const record = await findRecord(ctx, accountId)
      const before = { word: record?.retiredAt ? 'account_retired' : 'account_used' } as const
      const facts = await accountFacts(ctx, accountId)
      return [...facts, { name: 'state', after: { word: 'account_retired' }, before }]
    },
    inFavourOfDeployment: ({ args }) => tickFact('inFavour', args.inFavourOfDeployment),
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args) {
      const { accountId, inFavourOfDeployment = false } = args
      const { owner, route } = await getAccountView(ctx, accountId)
      if (owner === null) throw ownByEnvironment(route)
      const how = inFavourOfDeployment ? ', its payments go to the account of the deployment' : ''
      const known = args.seen ?? (await versionSeen(ctx, accountId))
      const bound = { accountId, inFavourOfDeployment, seen: known }
      return { ...redirecting(owner, `${accountId}${how}`, bound), isFree: !inFavourOfDeployment }
    },
    hasMoved: hasAccountMoved,
  },
  async run(ctx, { accountId, inFavourOfDeployment = false, seen: known }) {
    await expectAccount(ctx, accountId, known)
    return retireAccount(ctx, accountId, { inFavourOfDeployment })
  },
  describes: { what: 'account', id: ({ accountId }) => accountId },
  result: async (_ctx, view) => ({ facts: { ...view } }),
  helpExamples: ['--account acc_01...', '--account acc_01... --in-favour-of-deployment'],
  examples: async (scene) => [{ accountId: await scene.account(), inFavourOfDeployment: true }],
})

/** `allowed`: whether the shops are those that may not use it yet. */
async function sharedWith(ctx: Context, accountId: string, allowed: boolean) {
  const { owner, shared, merchants } = await getAccountView(ctx, accountId)
  const inUse = merchants ?? []
  const names = allowed
    ? await listMerchantsBesides(ctx.db, inUse, CHOSEN_MAX + 1)
    : await listMerchantNames(ctx.db, inUse.slice(0, CHOSEN_MAX + 1))
  // A function, and so no part of what the person has seen: shops come and go.
  return { owner, shared, inUse, shops: () => [...names].sort() }
}

/** `allowed`: what the form does. The command does both. */
const sharing = (allowed: boolean) =>
  act('account allow', {
    accountId: account(),
    merchantId: choice({ flag: 'merchant', placeholder: 'ID' }),
    allowed: unless({ flag: 'remove', inForm: allowed }),
    seen: seen(),
  })({
    ...(!allowed && { form: 'account-forbid' }),
    place: 'account',
    current: (ctx, accountId) => sharedWith(ctx, accountId, allowed),
    notNow({ owner, shared, shops }) {
      if (owner !== null) return 'acts.account.ofShop'
      return shared ? 'acts.account.ofAll' : shops().length === 0 ? 'acts.account.noShop' : null
    },
    choices: { merchantId: ({ shops }) => shops().map(([id, text]) => ({ id, text })) },
    blames: 'merchantId',
    shows: {
      accountId: ({ ctx, args }) => accountFacts(ctx, args.accountId),
      merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
      async allowed({ ctx, args }) {
        const { merchants } = await getAccountView(ctx, args.accountId)
        const before = yesOrNo(merchants?.includes(args.merchantId) ?? false)
        return [{ name: 'mayUse', after: yesOrNo(args.allowed), before }]
      },
      seen: 'bound',
    },
    secondPerson: {
      async stake(ctx, args) {
        const { accountId, merchantId } = args
        await rehearsed(ctx.db, (db) => allowAccount({ ...ctx, db }, args))
        const known = args.seen ?? (await versionSeen(ctx, accountId))
        const stake = redirecting(merchantId, `${accountId} ${merchantId}`, { ...args, seen: known })
        return { ...stake, isFree: !args.allowed }
      },
      hasMoved: hasAccountMoved,
    },
    async run(ctx, { seen: known, ...args }) {
      await expectAccount(ctx, args.accountId, known)
      return allowAccount(ctx, args)
    },
    describes: { what: 'account', id: ({ accountId }) => accountId },
    result: async (_ctx, view) => ({ facts: { ...view } }),
    helpExamples: [
      '--account acc_01... --merchant mer_01...',
      '--account acc_01... --merchant mer_01... --remove',
    ],
    async examples({ merchantId, sharedAccount }) {
      return [{ accountId: await sharedAccount({ allowed: !allowed }), merchantId, allowed }]
    },
  })

export const allow = sharing(true)
export const forbid = sharing(false)

const VERSIONS_MAX = 1_000

/** At the simulated bank. It is worked out anew each time. */
export const customer = act('account customer', {
  customer: text({ placeholder: 'NAME' }),
  version: count({ placeholder: 'N', most: VERSIONS_MAX }),
})({
  reads: true,
  shows: {
    customer: ({ args }) => textFact('name', args.customer),
    version: ({ args }) => textFact('number', args.version?.toString()),
  },
  run: async (ctx, { customer: name, version = 1 }) => ({
    version,
    secret: bankCustomerSecret(ctx, name, version),
  }),
  result: async (_ctx, { version, secret }, { customer: name }) => ({
    facts: { customer: name, version },
    shownOnce: { secret },
  }),
  helpExamples: ['--customer shop-7', '--customer shop-7 --version 2'],
  examples: async () => [{ customer: 'shop-7' }, { customer: 'shop-7', version: 2 }],
})

export const ACCOUNT_ACTS: readonly AnyRow[] = [retire, allow, forbid, customer]
