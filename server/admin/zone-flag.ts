/** The flag `--zone`: the time zone of the days that a command is asked about, or shows. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Zones, zonesOf } from '../operator/finding/shop-days.ts'
import { type Flag, optional } from './flag.ts'

export const ZONE: Flag<string | undefined> = {
  ...optional('ZONE', `the time zone of the days, such as Asia/Yerevan (default: the shop's)`),
  read: ([text]) => {
    if (text === undefined) return
    try {
      return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
    } catch {
      throw new AppError('validation_failed', {
        message: `must be the name of a time zone, such as Asia/Yerevan or Europe/Berlin, not "${text}".`,
      })
    }
  },
}

type ZoneFlags = { zone: string | undefined; merchant: string | undefined }

/** The zone that was asked for, else the shop's, else those of all shops: each has its own days. */
export async function zonesFor(ctx: Context, { zone, merchant }: ZoneFlags): Promise<Zones> {
  return zone === undefined ? zonesOf(ctx, merchant ?? null) : [zone]
}

/** What a list of shops in several zones says about its days. */
export const zonesText = (zones: Zones): string | null =>
  zones.length === 1 ? null : "Each shop's days begin at its own midnight."
