/** The pages of the settings: the screens that show what is set, and two pages for each row of the table. */
import type { Act } from '../../acts/policy.ts'
import { actPages } from '../acts/engine.ts'
import type { ConsolePage } from '../page.ts'
import { shopOf } from '../world.ts'
import { SETTING_ACTS } from './acts.ts'
import { deploymentSettings } from './deployment.ts'
import { LIST_PAGES } from './lists.ts'
import { shopSettings } from './shop.ts'

/** Forms that have the names of their acts by now. One with a slash has left the settings of the shop. */
const MOVED: Record<string, { to: string; needs: Act }> = {
  'token-limit': { to: 'token-set', needs: 'token set' },
  'callback-rotate': { to: 'callback-rotate-secret', needs: 'callback rotate-secret' },
  'method-revoke': { to: '/settings/saved-method-revoke', needs: 'saved-method revoke' },
  'callback-end': { to: 'callback-end-secret', needs: 'callback end-secret' },
}

const movedPage = ([from, { to, needs }]: [string, { to: string; needs: Act }]): ConsolePage => ({
  method: 'get',
  path: `/:world/shops/:merchant/settings/${from}`,
  needs,
  async handle(visit) {
    const { path } = await shopOf(visit)
    const isOfShop = !to.startsWith('/')
    return { kind: 'redirect', to: isOfShop ? `${path}/settings/${to}` : `/${visit.params.world}${to}` }
  },
})

export const SETTING_PAGES: readonly ConsolePage[] = [
  shopSettings,
  deploymentSettings,
  ...LIST_PAGES,
  ...Object.entries(MOVED).map(movedPage),
  ...SETTING_ACTS.flatMap(actPages),
]
