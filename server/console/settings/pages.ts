/** The pages of the settings: the screens that show what is set, and two pages for each row of the table. */
import type { ConsolePage } from '../page.ts'
import { shopOf } from '../world.ts'
import { SETTING_ACTS } from './acts.ts'
import { deploymentSettings } from './deployment.ts'
import { settingPages } from './engine.ts'
import { LIST_PAGES } from './lists.ts'
import { shopSettings } from './shop.ts'

/** The form has the name of its act by now. */
const tokenLimit: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/settings/token-limit',
  needs: 'token set',
  async handle(visit) {
    const { path } = await shopOf(visit)
    return { kind: 'redirect', to: `${path}/settings/token-set` }
  },
}

export const SETTING_PAGES: readonly ConsolePage[] = [
  shopSettings,
  deploymentSettings,
  ...LIST_PAGES,
  tokenLimit,
  ...SETTING_ACTS.flatMap(settingPages),
]
