/** The routes between which a merchant's buyers choose, as an operator sees them. */
import { listUsable } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../contract/fields.ts'
import type { Language } from '../contract/languages.ts'
import { ROUTE_MARKS, type RouteMark } from '../contract/route-mark.ts'
import { AppError, type Reason } from '../errors.ts'
import { getMerchantRoutes, type MerchantRoute } from '../merchants/routes.ts'

/** `ready`: the merchant can take payments there now. Buyers are offered only such routes. */
export type ShownRoute = MerchantRoute & { ready: boolean }

/** @throws AppError not_found */
export async function listMerchantRoutes(ctx: Context, merchantId: string): Promise<ShownRoute[]> {
  return withReadiness(ctx, merchantId, await getMerchantRoutes(ctx, merchantId))
}

/** Returns these routes as the merchant has them, or would have them. */
export function withReadiness(
  ctx: Context,
  merchantId: string,
  routes: readonly MerchantRoute[],
): Promise<ShownRoute[]> {
  return Promise.all(
    routes.map(async (each) => ({
      ...each,
      ready: (await listUsable(ctx, merchantId, each.route)).length > 0,
    })),
  )
}

export type Labelled = { route: ProviderRoute; label: string }
export type Marked = { route: ProviderRoute; mark: RouteMark }

/** Reads `route_a=Bank card`. @throws AppError validation_failed */
export function readLabelled(text: string): Labelled {
  const [, name, label] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const route = PROVIDER_ROUTES.find((each) => each === name)
  if (route !== undefined && label !== undefined) return { route, label }
  throw unread(text, 'label, such as route_a="Bank card"', `The routes are ${PROVIDER_ROUTES.join(', ')}.`)
}

/** Reads `route_b=wallet`. @throws AppError validation_failed */
export function readMarked(text: string): Marked {
  const [, name, kind] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const route = PROVIDER_ROUTES.find((each) => each === name)
  const mark = ROUTE_MARKS.find((each) => each === kind)
  if (route && mark) return { route, mark }
  throw unread(text, 'mark, such as route_b=wallet', `The marks are ${ROUTE_MARKS.join(', ')}.`)
}

/** @throws AppError validation_failed for a label or a mark of a route that is not given, and for a route that is given twice */
export function joinRoutes(
  given: readonly Labelled[],
  byLanguage: Partial<Record<Language, readonly Labelled[]>>,
  marks: readonly Marked[],
): MerchantRoute[] {
  return withMarks(withLanguages(given, byLanguage), marks)
}

/** @throws AppError validation_failed for a mark of a route that is not given */
function withMarks(routes: readonly MerchantRoute[], marks: readonly Marked[]): MerchantRoute[] {
  const stray = marks.find(({ route }) => !routes.some((each) => each.route === route))
  if (stray) throw notGiven('mark', stray.route)
  return routes.map((each) => {
    const mark = marks.find(({ route }) => route === each.route)?.mark
    return { ...each, ...(mark && { mark }) }
  })
}

function withLanguages(
  given: readonly Labelled[],
  byLanguage: Partial<Record<Language, readonly Labelled[]>>,
): MerchantRoute[] {
  const names = given.map(({ route }) => route)
  const stray = Object.values(byLanguage)
    .flat()
    .find(({ route }) => !names.includes(route))
  if (stray) throw notGiven('label', stray.route)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw wrong('routes_twice', `${twice} is given twice.`, { route: twice })
  return given.map(({ route, label }) => {
    const texts = Object.entries(byLanguage).flatMap(([language, all]) =>
      all.filter((each) => each.route === route).map((each) => [language, each.label]),
    )
    return { route, label, ...(texts.length > 0 && { labels: Object.fromEntries(texts) }) }
  })
}

const unread = (text: string, wanted: string, all: string) =>
  wrong('routes_line', `must be a route and its ${wanted}, not "${text}". ${all}`, { text })

const notGiven = (what: string, route: string) =>
  wrong(
    'routes_stray',
    `A ${what} for ${route} needs the route itself, as ${route}=LABEL, in the same change.`,
    { route },
  )

const wrong = (reason: Reason, message: string, about: Record<string, string>) =>
  new AppError('validation_failed', { reason, message, about })
