/** The settings of one shop: what is set, and the way to each change. */
import { getMerchant } from '../../merchants/merchant.ts'
import { listMerchantRoutes } from '../../operator/merchant-routes.ts'
import { html } from '../../pages/html.ts'
import type { ConsolePage } from '../page.ts'
import { backTo } from '../page-parts.ts'
import type { FactLine } from '../parts.ts'
import { momentText } from '../parts.ts'
import { type ConsoleKey, say } from '../words/say.ts'
import type { Scene } from './act.ts'
import { noticeAfter } from './done.ts'
import { groupOf } from './links.ts'
import { BASES, sceneOf } from './scene.ts'

type Row = { title: ConsoleKey; facts(scene: Scene): Promise<readonly FactLine[]> }

const GROUPS: readonly Row[] = [
  {
    title: 'setShop',
    async facts({ visit: { locale }, ctx, about, timeZone }) {
      const { name, state, stoppedAt, stoppedWhy } = await getMerchant(ctx, about)
      const routes = await listMerchantRoutes(ctx, about)
      return [
        [say(locale, 'setName'), name],
        [say(locale, 'setState'), say(locale, `merchant_${state}`)],
        [say(locale, 'since'), momentText(stoppedAt, locale, timeZone)],
        [say(locale, 'why'), stoppedWhy],
        [say(locale, 'setRoutes'), routes.map(({ route, label }) => `${route}=${label}`).join('; ')],
      ]
    },
  },
]

export const shopSettings: ConsolePage = {
  method: 'get',
  path: BASES.shop,
  needs: 'merchant show',
  async handle(visit) {
    const { locale } = visit
    const scene = await sceneOf('shop', visit)
    const groups = await Promise.all(
      GROUPS.map(async ({ title, facts }) => ({ title, facts: await facts(scene) })),
    )
    const title = say(locale, 'settingsTitle')
    const body = html`<h1>${title}</h1>
      ${noticeAfter(visit)}
      ${groups.map((group) => groupOf(visit, 'shop', scene.path, group))}
      ${backTo(scene.path.replace(/\/settings$/, ''), scene.name)}`
    return { kind: 'screen', title, body }
  },
}
