/** The act on the ways to pay between which the buyers of a shop choose. Written line by line, as the order and the labels belong together. */
import type { Context } from '../../context.ts'
import { getMerchantRoutes, type MerchantRoute, setMerchantRoutes } from '../../merchants/routes.ts'
import { shopFact, textOrNone } from '../../operator/approvals/facts.ts'
import { joinRoutes, listMerchantRoutes, readLabelled, readMarked } from '../../operator/merchant-routes.ts'
import { type AnyRow, act } from '../act.ts'
import { allBound, type Given, linesRead, shop } from '../input.ts'
import { byLanguage, inEachLanguage } from '../languages.ts'

const labels = () => linesRead(readLabelled, { placeholder: 'ROUTE=LABEL' })

const INPUT = {
  merchantId: shop(),
  routes: linesRead(readLabelled, { flag: 'route', placeholder: 'ROUTE=LABEL', none: 'remove' }),
  ...inEachLanguage('label', labels),
  marks: linesRead(readMarked, { flag: 'mark', placeholder: 'ROUTE=MARK' }),
}

/** Returns undefined if nothing is said of the routes, so they are only shown. @throws AppError validation_failed */
function wanted({ routes, marks = [], ...given }: Given<typeof INPUT>): MerchantRoute[] | undefined {
  if (routes === undefined) return undefined
  const written = Object.entries(byLanguage('label', given))
  const texts = written.map(([code, lines]) => [code, lines.map(readLabelled)] as const)
  return joinRoutes(routes.map(readLabelled), Object.fromEntries(texts), marks.map(readMarked))
}

const written = (routes: readonly MerchantRoute[], textOf: (route: MerchantRoute) => string | undefined) =>
  routes.flatMap((each) => (textOf(each) ? `${each.route}=${textOf(each)}` : [])).join('\n')

const shown = (routes: readonly MerchantRoute[]) =>
  textOrNone(
    routes
      .map(({ route, label, labels: texts = {}, mark }) => [
        `${route}=${label}`,
        ...Object.values(texts),
        mark,
      ])
      .map((parts) => parts.filter(Boolean).join(' · '))
      .join('; '),
  )

/** Whether a route is ready changes by itself, so it is not part of what the person has seen. */
const present = async (ctx: Context, merchantId: string): Promise<MerchantRoute[]> =>
  getMerchantRoutes(ctx, merchantId)

export const setRoutes = act(
  'merchant routes',
  INPUT,
)({
  place: 'shop',
  current: async (ctx, merchantId) => ({ routes: await present(ctx, merchantId) }),
  presets: ({ routes }) => ({
    routes: written(routes, ({ label }) => label),
    ...inEachLanguage('label', (code) => written(routes, ({ labels: texts }) => texts?.[code])),
    marks: written(routes, ({ mark }) => mark),
  }),
  blames: 'routes',
  shows: {
    // They are shown with their routes.
    ...allBound(INPUT),
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    async routes({ ctx, args }) {
      const routes = wanted(args)
      if (routes === undefined) return []
      return [{ name: 'routes', after: shown(routes), before: shown(await present(ctx, args.merchantId)) }]
    },
  },
  async run(ctx, given) {
    const routes = wanted(given)
    if (routes !== undefined) await setMerchantRoutes(ctx, given.merchantId, routes)
    return routes !== undefined
  },
  result: async (ctx, isChanged, { merchantId }) => ({
    facts: { merchantId, routes: await listMerchantRoutes(ctx, merchantId) },
    textValues: { changed: String(isChanged) },
  }),
  helpExamples: [
    '--merchant mer_01...',
    '--merchant mer_01... --route "route_a=Bank card" --label-ru "route_a=Банковская карта" --route route_b=Idram --mark route_b=wallet',
    '--merchant mer_01... --remove',
  ],
  examples: async ({ merchantId }) => [
    {
      merchantId,
      routes: ['route_a=Bank card', 'route_b=Wallet'],
      labelHy: [],
      labelRu: ['route_a=Карта'],
      labelEn: [],
      marks: ['route_b=wallet'],
    },
  ],
})

export const ROUTE_ACTS: readonly AnyRow[] = [setRoutes]
