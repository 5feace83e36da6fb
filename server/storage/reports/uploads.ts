/** Files that somebody has uploaded and looks at. One is deleted when it is stored, or when its time is over. */
import { statement } from '../db.ts'

/** The newest so many of an account are kept. */
const KEPT = 5

/** Also deletes what the account has too many of. */
export const insertUpload = statement(
  'insert_statement_upload',
  `with gone as (delete from world.statement_uploads where id in
     (select id from world.statement_uploads where account_id = $2 order by created_at desc offset ${KEPT - 1}))
   insert into world.statement_uploads (id, account_id, bytes, created_at) values ($1, $2, $3, $4)`,
).run((id: string, accountId: string, bytes: Buffer, now: Date) => [id, accountId, bytes, now])

export const findUpload = statement<{ bytes: Buffer }>(
  'find_statement_upload',
  'select bytes from world.statement_uploads where account_id = $1 and id = $2 and created_at > $3',
).value('bytes', null, (accountId: string, id: string, since: Date) => [accountId, id, since])

export const deleteUpload = statement(
  'delete_statement_upload',
  'delete from world.statement_uploads where account_id = $1 and id = $2',
).run((accountId: string, id: string) => [accountId, id])

export const deleteOldUploads = statement(
  'delete_old_statement_uploads',
  'delete from world.statement_uploads where created_at <= $1',
).run((until: Date) => [until])
