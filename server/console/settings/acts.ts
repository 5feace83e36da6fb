/** Every setting that the console can change. */
import { ACT_ROWS } from '../../acts/table.ts'
import type { SettingAct } from './act.ts'
import { settingsOf } from './from-row.ts'

export const SETTING_ACTS: readonly SettingAct[] = ACT_ROWS.flatMap(settingsOf)
