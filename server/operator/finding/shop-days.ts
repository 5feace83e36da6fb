/**
 * Days of lists. Rule: a day is the shop's own, so a list of shops with several time zones has a range for each zone. Each list, file and
 * number that is cut to days takes its cut from here.
 */
import type { Context } from '../../context.ts'
import { TIME_ZONE } from '../../contract/time-zone.ts'
import { oldestId } from '../../id.ts'
import { zoneOf } from '../../merchants/branding.ts'
import { EVER, type TimeRange } from '../../reports/money-days.ts'
import { type CreatedRange, listTimeZones, type MovedRange } from '../../storage/search/zones.ts'
import { END_OF_IDS } from './candidates.ts'

/** One time zone or several. */
export type Zones = readonly [string, ...string[]]
/** How a list uses a time: the ids of the payments that were created in it, or the time itself. */
export type TimeCut = {
  fromId?: string
  toId?: string
  created?: readonly CreatedRange[]
  moved?: readonly MovedRange[]
}
/** The time that is meant, where clocks show that of this zone. An end that is not given is open. */
export type RangeIn = (zone: string) => Partial<TimeRange>

/** Returns the time zones of the days of one shop, or of all shops. */
export async function zonesOf(ctx: Context, merchantId: string | null): Promise<Zones> {
  if (merchantId !== null) return [await zoneOf(ctx, merchantId)]
  const all = (await listTimeZones(ctx.db)).map(({ zone }) => zone ?? TIME_ZONE)
  const [first = TIME_ZONE, ...others] = new Set(all)
  return [first, ...others]
}

/** `of`: whether the payments were created in the time, or their money moved. */
export function cutTo(
  { world }: Pick<Context, 'world'>,
  of: 'created' | 'moved',
  zones: Zones,
  rangeIn: RangeIn,
): TimeCut {
  const ranges = zones.map((zone) => ({
    zone: zones.length > 1 ? zone : null,
    isDefault: zone === TIME_ZONE,
    ...rangeIn(zone),
  }))
  if (ranges.every(({ since, until }) => !since && !until)) return {}
  if (of === 'moved')
    return {
      moved: ranges.map(({ since = EVER.since, until = EVER.until, ...of }) => ({ ...of, since, until })),
    }
  const idAt = (at: Date | undefined, otherwise: string) => (at ? oldestId(world, 'pay', at) : otherwise)
  const created = ranges.map(({ since, until, ...of }) => ({
    ...of,
    fromId: idAt(since, ''),
    toId: idAt(until, END_OF_IDS),
  }))
  const [fromId = ''] = created.map((each) => each.fromId).sort()
  const [toId = END_OF_IDS] = created
    .map((each) => each.toId)
    .sort()
    .reverse()
  return { fromId, toId, ...(zones.length > 1 && { created }) }
}
