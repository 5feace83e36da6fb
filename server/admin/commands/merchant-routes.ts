/** `merchant routes`: between which routes a merchant's buyers choose. */
import { PROVIDER_ROUTES, type ProviderRoute } from '../../contract/fields.ts'
import type { Language } from '../../contract/languages.ts'
import { ROUTE_MARKS, type RouteMark } from '../../contract/route-mark.ts'
import { AppError } from '../../errors.ts'
import { type MerchantRoute, setMerchantRoutes } from '../../merchants/routes.ts'
import { listMerchantRoutes, type ShownRoute } from '../../operator/merchant-routes.ts'
import { verb } from '../command.ts'
import { type Flag, givenLanguages, MERCHANT, perLanguage, toggle } from '../flag.ts'
import { paragraphs, table } from '../layout.ts'

type Labelled = { route: ProviderRoute; label: string }

const labelled = (help: string): Flag<Labelled[]> => ({
  placeholder: 'ROUTE=LABEL',
  need: 'repeatable',
  help,
  read: (texts) => texts.map(readLabelled),
})

function readLabelled(text: string): Labelled {
  const [, name, label] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const route = PROVIDER_ROUTES.find((each) => each === name)
  if (route !== undefined && label !== undefined) return { route, label }
  throw new AppError('validation_failed', {
    message: `must be a route and its label, such as route_a="Bank card", not "${text}". The routes are ${PROVIDER_ROUTES.join(', ')}.`,
  })
}

type Marked = { route: ProviderRoute; mark: RouteMark }

const marked: Flag<Marked[]> = {
  placeholder: 'ROUTE=MARK',
  need: 'repeatable',
  help: `the picture beside a route: ${ROUTE_MARKS.join(', ')}; by default that of the route's driver`,
  read: (texts) => texts.map(readMarked),
}

function readMarked(text: string): Marked {
  const [, name, kind] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const route = PROVIDER_ROUTES.find((each) => each === name)
  const mark = ROUTE_MARKS.find((each) => each === kind)
  if (route && mark) return { route, mark }
  throw wrong(
    `must be a route and its mark, such as route_b=wallet, not "${text}". The marks are ${ROUTE_MARKS.join(', ')}.`,
  )
}

/** @throws AppError validation_failed for a mark of a route that is not given */
function withMarks(routes: readonly MerchantRoute[], marks: readonly Marked[]): MerchantRoute[] {
  const stray = marks.find(({ route }) => !routes.some((each) => each.route === route))
  if (stray) throw wrong(`A mark for ${stray.route} needs --route ${stray.route}=LABEL in the same command.`)
  return routes.map((each) => {
    const mark = marks.find(({ route }) => route === each.route)?.mark
    return { ...each, ...(mark && { mark }) }
  })
}

export const routes = verb({
  name: 'routes',
  needs: 'operator',
  summary: 'Show or set the routes between which buyers choose',
  flags: {
    merchant: MERCHANT,
    route: labelled('a route with the label that buyers see; repeat it, the first choice first'),
    ...perLanguage('label', (language) => labelled(`a route's label on ${language} pages`)),
    mark: marked,
    remove: toggle('remove the setting; payments that name no route then use the default one'),
  },
  examples: [
    '--merchant mer_01...',
    '--merchant mer_01... --route "route_a=Bank card" --label-ru "route_a=Банковская карта" --route route_b=Idram --mark route_b=wallet',
    '--merchant mer_01... --remove',
  ],
  async run(ctx, { merchant: merchantId, route, mark, remove, ...labels }) {
    const isChange = remove || route.length > 0
    const given = withMarks(withLanguages(route, givenLanguages('label', labels)), mark)
    if (isChange) await setMerchantRoutes(ctx, merchantId, remove ? [] : given)
    const shown = await listMerchantRoutes(ctx, merchantId)
    return {
      json: { merchantId, routes: shown },
      text: paragraphs(isChange && 'New payments use this within a second.', routesText(shown)),
    }
  },
})

/** @throws AppError validation_failed for a label of a route that is not given, and for a route that is given twice */
function withLanguages(
  given: readonly Labelled[],
  byLanguage: Partial<Record<Language, readonly Labelled[]>>,
): MerchantRoute[] {
  const names = given.map(({ route }) => route)
  const stray = Object.values(byLanguage)
    .flat()
    .find(({ route }) => !names.includes(route))
  if (stray) throw wrong(`A label for ${stray.route} needs --route ${stray.route}=LABEL in the same command.`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw wrong(`--route ${twice} is given twice.`)
  return given.map(({ route, label }) => {
    const texts = Object.entries(byLanguage).flatMap(([language, all]) =>
      all.filter((each) => each.route === route).map((each) => [language, each.label]),
    )
    return { route, label, ...(texts.length > 0 && { labels: Object.fromEntries(texts) }) }
  })
}

const wrong = (message: string) => new AppError('validation_failed', { message })

function routesText(shown: readonly ShownRoute[]): string {
  if (shown.length === 0) return 'Buyers do not choose: a payment that names no route uses the default one.'
  const rows = shown.map(({ route, label, labels = {}, mark, ready }) => [
    route,
    label,
    mark ?? '',
    Object.entries(labels)
      .map(([language, text]) => `${language}: ${text}`)
      .join(', '),
    ready ? 'ready' : 'not ready: buyers are not offered it',
  ])
  const note =
    shown.length === 1
      ? 'With one route buyers do not choose. A payment that names no route uses it.'
      : 'Buyers choose between the ready ones that take the currency. A payment, product or installation with a route of its own offers no choice.'
  return paragraphs(table(['Route', 'Label', 'Mark', 'In other languages', 'State'], rows), note)
}
