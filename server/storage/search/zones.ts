/**
 * Lists of payments by days. Rule: a day is the shop's own. So a list of all shops has a range of time for each time zone that a shop
 * has, and a payment is compared with the range of its shop's zone.
 */
import { TIME_ZONE } from '../../contract/time-zone.ts'
import { statement } from '../db.ts'

/** `zone`: null where one range is for every shop. */
export type CreatedRange = { zone: string | null; fromId: string; toId: string }
export type MovedRange = { zone: string | null; since: Date; until: Date }

/** The zone of the merchant `m`. */
const ZONE = `coalesce(m.branding ->> 'timeZone', '${TIME_ZONE}')`

const zones = statement<{ zone: string }>(
  'list_time_zones',
  `select distinct ${ZONE} as zone from kassa.merchants m order by zone`,
).all(() => [])

/** Returns the time zones that shops have. */
export const listTimeZones = async (db: Parameters<typeof zones>[0]): Promise<string[]> =>
  (await zones(db)).map(({ zone }) => zone)

/** Whether the payment `p` was created in the range of its shop. `ranges`: an SQL expression, null where nothing is cut. */
export const isCreatedIn = (ranges: string): string =>
  `(${ranges}::json is null or exists (
     select from json_to_recordset(${ranges}::json) as z(zone text, "fromId" text, "toId" text)
     where p.id >= z."fromId" and p.id < z."toId"
       and (z.zone is null or z.zone = (select ${ZONE} from kassa.merchants m where m.id = p.merchant_id))))`

/** The merchants `m`, each with the range `z` of its zone. */
export const merchantsIn = (ranges: string): string =>
  `kassa.merchants m join json_to_recordset(${ranges}::json) as z(zone text, since timestamptz, until timestamptz)
     on z.zone is null or z.zone = ${ZONE}`
