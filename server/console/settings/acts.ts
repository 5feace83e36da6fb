/** Every setting that the console can change. Whoever adds a row adds its words, and an example to the tests. */
import type { SettingAct } from './act.ts'
import { MERCHANT_ACTS } from './merchant-acts.ts'
import { ROUTE_ACTS } from './route-acts.ts'

export const SETTING_ACTS: readonly SettingAct[] = [...MERCHANT_ACTS, ...ROUTE_ACTS]
