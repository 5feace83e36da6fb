/** The acts on a shop itself. */
import { getMerchant, MERCHANT_NAME_MAX_CHARS, renameMerchant } from '../merchants/merchant.ts'
import { type MerchantState, WHY_MAX_CHARS } from '../merchants/state.ts'
import { changeMerchantState, listOpenItems, lookAgain, openLines } from '../operator/acts/merchant-state.ts'
import { type Fact, shopFact, textFact } from '../operator/approvals/facts.ts'
import { type AnyRow, act } from './act.ts'
import { optionalText, shop, text } from './input.ts'

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
const stateRow = (
  name: 'merchant pause' | 'merchant close' | 'merchant resume',
  { to, from, helpExamples }: { to: MerchantState; from: readonly MerchantState[]; helpExamples: string[] },
) =>
  act(name, { merchantId: shop(), why: optionalText({ placeholder: 'TEXT', max: WHY_MAX_CHARS }) })({
    place: 'shop',
    current: getMerchant,
    notNow: ({ state }) => (from.includes(state) ? null : (`acts.merchant.is_${state}` as const)),
    blames: 'why',
    shows: {
      async merchantId({ ctx, args: { merchantId } }) {
        const { state } = await getMerchant(ctx, merchantId)
        const open = to === 'open' ? [] : await listOpenItems(ctx, merchantId)
        return [
          ...(await shopFact(ctx, merchantId)),
          { name: 'state', after: { word: `merchant_${to}` }, before: { word: `merchant_${state}` } },
          ...open.map(
            ({ what, world, count }): Fact => ({ name: what, of: world, after: { text: String(count) } }),
          ),
        ]
      },
      why: async ({ ctx, args }) =>
        textFact('why', args.why, (await getMerchant(ctx, args.merchantId)).stoppedWhy ?? undefined),
    },
    run: (ctx, given) => changeMerchantState(ctx, { ...given, state: to }),
    onceKnown: async (ctx, change) => (to === 'open' ? change : lookAgain(ctx, change)),
    async result(_ctx, { before, after: { id, name: shopName, state, stoppedAt, stoppedWhy }, open }) {
      const facts = {
        merchantId: id,
        name: shopName,
        state,
        before: before.state,
        stoppedAt,
        stoppedWhy,
        open,
      }
      const goesOn = openLines(open).map((line) => `Goes on: ${line}\n`)
      return { facts, said: { goesOn: goesOn.join('') } }
    },
    helpExamples,
    async examples({ merchantId, stop }) {
      if (to === 'open') await stop()
      return [{ merchantId, why: 'the contract changes' }]
    },
  })

export const pause = stateRow('merchant pause', {
  to: 'paused',
  from: ['open'],
  helpExamples: ['--merchant mer_01...', '--merchant mer_01... --why "the shop moves"'],
})

export const close = stateRow('merchant close', {
  to: 'closed',
  from: ['open', 'paused'],
  helpExamples: ['--merchant mer_01...', '--merchant mer_01... --why "the contract has ended" --dry-run'],
})

export const resume = stateRow('merchant resume', {
  to: 'open',
  from: ['paused', 'closed'],
  helpExamples: ['--merchant mer_01...'],
})

export const MERCHANT_ACTS: readonly AnyRow[] = [rename, pause, close, resume]
