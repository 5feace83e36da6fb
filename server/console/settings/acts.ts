/** Every setting that the console can change. */
import { ACT_ROWS } from '../../acts/table.ts'
import type { FormAct } from '../acts/act.ts'
import { settingsOf } from './from-row.ts'

export const SETTING_ACTS: readonly FormAct[] = ACT_ROWS.flatMap(settingsOf)
