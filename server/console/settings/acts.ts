/** Every setting that the console can change. Whoever adds a row adds its words, and an example to the tests. */

import { ACT_ROWS } from '../../acts/table.ts'
import { ACCOUNT_ACTS } from './account-acts.ts'
import type { SettingAct } from './act.ts'
import { CALLBACK_ACTS } from './callback-acts.ts'
import { DEPLOYMENT_ACTS } from './deployment-acts.ts'
import { settingsOf } from './from-row.ts'
import { ROUTE_ACTS } from './route-acts.ts'
import { UPKEEP_ACTS } from './upkeep-acts.ts'

/** Settings that have no row in the table of acts yet. */
export const HAND_ACTS: readonly SettingAct[] = [
  ...ROUTE_ACTS,
  ...CALLBACK_ACTS,
  ...ACCOUNT_ACTS,
  ...DEPLOYMENT_ACTS,
  ...UPKEEP_ACTS,
]

export const SETTING_ACTS: readonly SettingAct[] = [...HAND_ACTS, ...ACT_ROWS.flatMap(settingsOf)]
