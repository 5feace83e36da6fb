/**
 * Lists of payments by days. Rule: a day is the shop's own. So a list of all shops has a range of time for each time zone that a shop
 * has, and a payment is compared with the range of its shop's zone.
 */
import { statement } from '../db.ts'

/** `zone`: null where one range is for every shop. `isDefault`: of shops that have set none, too. */
type OfZone = { zone: string | null; isDefault: boolean }
export type CreatedRange = OfZone & { fromId: string; toId: string }
export type MovedRange = OfZone & { since: Date; until: Date }

/** Whether the range `z` is that of the merchant `m`. */
const OWN = `(z.zone is null or z.zone = m.branding ->> 'timeZone' or z."isDefault" and m.branding ->> 'timeZone' is null)`

/** The time zones that shops have set. Null: some have set none. */
export const listTimeZones = statement<{ zone: string | null }>(
  'list_time_zones',
  `select distinct branding ->> 'timeZone' as zone from kassa.merchants order by zone`,
).all(() => [])

/** Whether the payment `p` was created in the range of its shop. `ranges`: an SQL expression, null where nothing is cut. */
export const isCreatedIn = (ranges: string): string =>
  `(${ranges}::json is null or exists (
     select from json_to_recordset(${ranges}::json) as z(zone text, "isDefault" boolean, "fromId" text, "toId" text)
       join kassa.merchants m on ${OWN}
     where m.id = p.merchant_id and p.id >= z."fromId" and p.id < z."toId"))`

/** The merchants `m`, each with the range `z` of its zone. */
export const merchantsIn = (ranges: string): string =>
  `kassa.merchants m join json_to_recordset(${ranges}::json) as z(zone text, "isDefault" boolean, since timestamptz,
     until timestamptz) on ${OWN}`
