/** The acts on a shop itself. */
import type { Context } from '../../context.ts'
import {
  getMerchant,
  MERCHANT_NAME_MAX_CHARS,
  type MerchantRecord,
  type MerchantState,
  renameMerchant,
  WHY_MAX_CHARS,
} from '../../merchants/merchant.ts'
import {
  changeMerchantState,
  listOpenItems,
  lookAgain,
  openLines,
  type StateChange,
} from '../../operator/acts/merchant-state.ts'
import { makeMerchant } from '../../operator/acts/new-merchant.ts'
import { type Fact, type FactScene, shopFact, textFact } from '../../operator/approvals/facts.ts'
import { presentProposal } from '../../operator/approvals/listing.ts'
import { listNewestMerchants } from '../../storage/merchants/merchants.ts'
import { type AnyRow, act } from '../act.ts'
import { optionalUrl, optionalWords, shop, text } from '../input.ts'
import { brand } from './brand.ts'

export const create = act('merchant create', {
  name: text({ placeholder: 'N', max: MERCHANT_NAME_MAX_CHARS }),
  callbackUrl: optionalUrl({ placeholder: 'U' }),
})({
  place: 'deployment',
  onEmpty: 'named',
  // So that two presses make one shop.
  current: async ({ db }) => ({ newest: (await listNewestMerchants(db, 1))[0]?.id ?? null }),
  blames: 'callbackUrl',
  shows: {
    name: ({ args }) => textFact('name', args.name),
    callbackUrl: ({ args }) => textFact('url', args.callbackUrl),
  },
  run: (ctx, given, doer) => makeMerchant(ctx, doer, given),
  async result(_ctx, { merchantId, webhookSecret, proposed }) {
    const waits = proposed && { proposed: true, approval: presentProposal(proposed) }
    if (webhookSecret !== null)
      return { facts: { merchantId }, shownOnce: { webhookSecret }, textValues: { secret: 'made' } }
    const textValues = { secret: proposed ? 'waits' : 'later', approvalId: proposed?.id ?? '' }
    return { facts: { merchantId, webhookSecret, ...waits }, textValues }
  },
  tells: ['merchantId'],
  helpExamples: ['--name "My shop"', '--name "My shop" --callback-url https://shop.example/kassa/callback'],
  examples: async () => [{ name: 'A new shop' }],
})

export const rename = act('merchant rename', {
  merchantId: shop(),
  name: text({ placeholder: 'NAME', max: MERCHANT_NAME_MAX_CHARS }),
})({
  place: 'shop',
  current: getMerchant,
  blames: 'name',
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    name: async ({ ctx, args }) =>
      textFact('name', args.name, (await getMerchant(ctx, args.merchantId)).name),
  },
  async run(ctx, { merchantId, name }) {
    const before = await getMerchant(ctx, merchantId)
    return { before: before.name, after: await renameMerchant(ctx, merchantId, name) }
  },
  result: async (_ctx, { before, after }) => ({
    facts: { merchantId: after.id, name: after.name, before },
  }),
  helpExamples: ['--merchant mer_01... --name "The tea house"'],
  examples: async ({ merchantId }) => [{ merchantId, name: 'The tea house' }],
})

/** `from`: the states from which it can be done. */
type Change = { to: MerchantState; from: readonly MerchantState[]; helpExamples: string[] }

/** What the acts on the state of a shop have in common. */
const stateRow = ({ to, from, helpExamples }: Change) => ({
  place: 'shop' as const,
  current: getMerchant,
  notNow: ({ state }: MerchantRecord) =>
    from.includes(state) ? null : (`acts.merchant.is_${state}` as const),
  run: (ctx: Context, given: { merchantId: string; why?: string | undefined }) =>
    changeMerchantState(ctx, { ...given, state: to }),
  onceKnown: async (ctx: Context, change: StateChange) => (to === 'open' ? change : lookAgain(ctx, change)),
  async result(_ctx: Context, { before, after, open }: StateChange) {
    const { id, name, state, stoppedAt, stoppedWhy } = after
    const facts = { merchantId: id, name, state, before: before.state, stoppedAt, stoppedWhy, open }
    const goesOn = openLines(open).map((line) => `Goes on: ${line}\n`)
    return { facts, textValues: { goesOn: goesOn.join('') } }
  },
  helpExamples,
})

const stateShown =
  (to: MerchantState) =>
  async ({ ctx, args: { merchantId } }: FactScene<{ merchantId: string }>): Promise<Fact[]> => {
    const { state } = await getMerchant(ctx, merchantId)
    const open = to === 'open' ? [] : await listOpenItems(ctx, merchantId)
    return [
      ...(await shopFact(ctx, merchantId)),
      { name: 'state', after: { word: `merchant_${to}` }, before: { word: `merchant_${state}` } },
      ...open.map(
        ({ what, world, count }): Fact => ({ name: what, of: world, after: { text: String(count) } }),
      ),
    ]
  }

const stopRow = (name: 'merchant pause' | 'merchant close', change: Change & { to: 'paused' | 'closed' }) =>
  act(name, { merchantId: shop(), why: optionalWords({ max: WHY_MAX_CHARS }) })({
    ...stateRow(change),
    blames: 'why',
    shows: {
      merchantId: stateShown(change.to),
      why: async ({ ctx, args }) =>
        textFact('why', args.why, (await getMerchant(ctx, args.merchantId)).stoppedWhy ?? undefined),
    },
    examples: async ({ merchantId }) => [{ merchantId, why: 'the contract changes' }],
  })

export const pause = stopRow('merchant pause', {
  to: 'paused',
  from: ['open'],
  helpExamples: ['--merchant mer_01...', '--merchant mer_01... --why "the shop moves"'],
})

export const close = stopRow('merchant close', {
  to: 'closed',
  from: ['open', 'paused'],
  helpExamples: ['--merchant mer_01...', '--merchant mer_01... --why "the contract has ended" --dry-run'],
})

/** A reason is why a shop is stopped, so there is none for going on. */
export const resume = act('merchant resume', { merchantId: shop() })({
  ...stateRow({ to: 'open', from: ['paused', 'closed'], helpExamples: ['--merchant mer_01...'] }),
  shows: { merchantId: stateShown('open') },
  async examples({ merchantId, stop }) {
    await stop()
    return [{ merchantId }]
  },
})

export const MERCHANT_ACTS: readonly AnyRow[] = [create, brand, rename, pause, close, resume]
