/** `merchant routes`: between which routes a merchant's buyers choose. */
import { ROUTE_MARKS } from '../../contract/route-mark.ts'
import { setMerchantRoutes } from '../../merchants/routes.ts'
import {
  joinRoutes,
  type Labelled,
  listMerchantRoutes,
  type Marked,
  readLabelled,
  readMarked,
  type ShownRoute,
} from '../../operator/merchant-routes.ts'
import { verb } from '../command.ts'
import { type Flag, givenLanguages, MERCHANT, perLanguage, toggle } from '../flag.ts'
import { paragraphs, table } from '../layout.ts'

const labelled = (help: string): Flag<Labelled[]> => ({
  placeholder: 'ROUTE=LABEL',
  need: 'repeatable',
  help,
  read: (texts) => texts.map(readLabelled),
})

const marked: Flag<Marked[]> = {
  placeholder: 'ROUTE=MARK',
  need: 'repeatable',
  help: `the picture beside a route: ${ROUTE_MARKS.join(', ')}; by default that of the route's driver`,
  read: (texts) => texts.map(readMarked),
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
    const given = joinRoutes(route, givenLanguages('label', labels), mark)
    if (isChange) await setMerchantRoutes(ctx, merchantId, remove ? [] : given)
    const shown = await listMerchantRoutes(ctx, merchantId)
    return {
      json: { merchantId, routes: shown },
      text: paragraphs(isChange && 'New payments use this.', routesText(shown)),
    }
  },
})

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
