/** The pages of the settings: the screens that show what is set, and two pages for each row of the table. */
import type { ConsolePage } from '../page.ts'
import { SETTING_ACTS } from './acts.ts'
import { deploymentSettings } from './deployment.ts'
import { settingPages } from './engine.ts'
import { LIST_PAGES } from './lists.ts'
import { shopSettings } from './shop.ts'

export const SETTING_PAGES: readonly ConsolePage[] = [
  shopSettings,
  deploymentSettings,
  ...LIST_PAGES,
  ...SETTING_ACTS.flatMap(settingPages),
]
