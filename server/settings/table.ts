/**
 * The settings of the service, one row each. The schema, the types, the start's messages, the settings guide and the command
 * line's help are all made from this table. The ROUTE_* settings are in `routes.ts`, because each driver has its own.
 * Rule: no other room reads a setting by its name.
 */
import type { z } from 'zod'
import { CONSOLE } from './console-address.ts'
import { MAILING } from './mailing.ts'
import { PAYING } from './paying.ts'
import { RUNNING } from './running.ts'
import { SERVING } from './serving.ts'
import type { Setting } from './setting.ts'

export const SETTINGS = { ...SERVING, ...CONSOLE, ...PAYING, ...MAILING, ...RUNNING } satisfies Record<
  string,
  Setting
>

type Table = typeof SETTINGS
export type SettingKey = keyof Table

/** Every setting as the service uses it. A setting without a default can be undefined. */
export type Settings = {
  [Key in SettingKey]: Table[Key] extends { default: unknown }
    ? z.output<Table[Key]['schema']>
    : z.output<Table[Key]['schema']> | undefined
}

/** Returns the setting's name in the environment. */
export function nameOf(key: SettingKey): string {
  return SETTINGS[key].name
}
