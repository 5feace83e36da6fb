/** The branding of merchants, and the pictures of their pages. Both worlds share them. */
import type { Language } from '../../contract/languages.ts'
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

export type { Language }

/** A text in the languages of the hosted pages, as far as it was given. */
export type Texts = Partial<Record<Language, string>>

/** A stored picture. `ground`: what it can be seen on, where parts of it are transparent. */
export type Picture = { id: string; width: number; height: number; ground: 'light' | 'dark' }

/** What hosted pages show of a merchant beside its name. Every part may be absent. */
export type Branding = {
  name?: string
  names?: Texts
  logo?: Picture
  /** `#rrggbb`, in small letters. */
  colour?: string
  phone?: string
  email?: string
  site?: string
  taxNumber?: string
  termsUrl?: string
  /** An IANA name, such as `Asia/Yerevan`. */
  timeZone?: string
  /** Buyers are asked for an e-mail address before they go on to pay. */
  askEmail?: boolean
}

const FIELDS = fieldsOf('pictures', ['id', 'type', 'bytes'])
export type PictureRecord = RecordOf<'pictures', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export const findBranding = statement<{ name: string; branding: Branding }>(
  'find_branding',
  'select name, branding from kassa.merchants where id = $1',
).first((merchantId: string) => [merchantId])

/** Returns false if there is no such merchant. */
export const updateBranding = statement<{ id: string }>(
  'update_branding',
  'update kassa.merchants set branding = $2 where id = $1 returning id',
).some((merchantId: string, branding: Branding) => [merchantId, JSON.stringify(branding)])

/** Storing the same picture again keeps it from being deleted as unused before somebody uses it. */
export const insertPicture = statement(
  'insert_picture',
  `insert into kassa.pictures (id, type, bytes, created_at) values ($1, $2, $3, $4)
   on conflict (id) do update set unused_since = null`,
).run(({ id, type, bytes }: PictureRecord, at: Date) => [id, type, bytes, at])

export const findPicture = statement<PictureRecord>(
  'find_picture',
  `select ${COLUMNS} from kassa.pictures where id = $1`,
).first((id: string) => [id])

/** Marks pictures that nothing shows, and takes the mark from those that are shown again. */
export const notePicturesUnused = statement(
  'note_unused_pictures',
  `with used as materialized (select kassa.pictures_in_use() as id)
   update kassa.pictures p set unused_since = case when used.id is null then $1::timestamptz end
   from kassa.pictures q left join (select distinct id from used) used on used.id = q.id
   where p.id = q.id and (p.unused_since is null) = (used.id is null)`,
).run((now: Date) => [now])

// A picture that is being stored again is locked and has lost its mark, so it stays.
const deleteUnused = statement<{ id: string }>(
  'delete_unused_pictures',
  `with used as materialized (select kassa.pictures_in_use() as id), old as (
     select id from kassa.pictures where unused_since < $1 and id not in (select id from used) limit $2
   )
   delete from kassa.pictures p using old where p.id = old.id and p.unused_since < $1 returning p.id`,
)

/** Deletes pictures that nothing has shown since `before`. Returns how many. */
export async function deleteUnusedPictures(db: Queryable, before: Date, limit: number): Promise<number> {
  return (await deleteUnused(db, [before, limit])).length
}
