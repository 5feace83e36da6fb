/** Between which routes the buyers of a shop choose. Written line by line, as the order and the labels belong together. */
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import { type MerchantRoute, setMerchantRoutes } from '../../merchants/routes.ts'
import { joinRoutes, listMerchantRoutes, readLabelled, readMarked } from '../../operator/merchant-routes.ts'
import { type Given, type SettingAct, setting } from './act.ts'
import type { Field } from './fields.ts'

type Present = { routes: MerchantRoute[] }

const CODES = Object.keys(LANGUAGES) as Language[]

const linesOf = (text = '') => text.split('\n').flatMap((line) => line.trim() || [])

/** @throws AppError validation_failed */
function readRoutes(given: Given): MerchantRoute[] {
  const labels = CODES.map((code) => [code, linesOf(given[`label_${code}`]).map(readLabelled)] as const)
  const [routes, marks] = [linesOf(given.routes).map(readLabelled), linesOf(given.marks).map(readMarked)]
  return joinRoutes(routes, Object.fromEntries(labels), marks)
}

const written = (routes: readonly MerchantRoute[], textOf: (route: MerchantRoute) => string | undefined) =>
  routes.flatMap((each) => (textOf(each) ? `${each.route}=${textOf(each)}` : [])).join('\n')

const fieldsFor = ({ routes }: Present): Field[] => [
  {
    name: 'routes',
    label: 'setRoutes',
    kind: 'long',
    hint: 'setRoutesHint',
    isOptional: true,
    value: written(routes, ({ label }) => label),
  },
  ...CODES.map(
    (code): Field => ({
      name: `label_${code}`,
      label: { as: LANGUAGES[code].own },
      kind: 'long',
      hint: 'setLabelsHint',
      isOptional: true,
      value: written(routes, ({ labels }) => labels?.[code]),
    }),
  ),
  {
    name: 'marks',
    label: 'setMarks',
    kind: 'long',
    hint: 'setMarksHint',
    isOptional: true,
    value: written(routes, ({ mark }) => mark),
  },
]

const textOf = (routes: readonly MerchantRoute[]) =>
  routes
    .map(({ route, label, labels = {}, mark }) => [`${route}=${label}`, ...Object.values(labels), mark])
    .map((parts) => parts.filter(Boolean).join(' · '))
    .join('; ')

const routes = setting<Present>({
  name: 'merchant_routes',
  needs: 'merchant routes',
  place: 'shop',
  group: 'setShop',
  async present({ ctx, about }) {
    // Whether a route is ready changes by itself, so it is not part of what the person has seen.
    const shown = await listMerchantRoutes(ctx, about)
    return { routes: shown.map(({ ready: _ready, ...route }) => route) }
  },
  fields: fieldsFor,
  blames: 'routes',
  changes: (given, before) => [['setRoutes', textOf(before.routes), textOf(readRoutes(given))]],
  async run(ctx, given, { about }) {
    await setMerchantRoutes(ctx, about, readRoutes(given))
    return 'done'
  },
})

export const ROUTE_ACTS: readonly SettingAct[] = [routes]
