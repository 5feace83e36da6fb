/** The secrets that granted proposals have made, until the person who proposed them has seen them. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

export type SealedSecret = { keyId: string; sealed: Buffer }
const FIELDS = fieldsOf('proposals', [
  'id',
  'proposedBy',
  'decidedAt',
  'secretKeyId as keyId',
  'secretSealed as sealed',
])
export type GrantedSecret = RecordOf<'proposals', typeof FIELDS, { keyId: string; sealed: Buffer }>

const COLUMNS = selected(FIELDS)

const put = statement(
  'put_proposal_secret',
  'update kassa.proposals set secret_key_id = $2, secret_sealed = $3 where id = $1',
)
const take = statement<GrantedSecret>(
  'take_proposal_secret',
  `with taken as (
     select id, proposed_by, decided_at, secret_key_id, secret_sealed from kassa.proposals
     where id = $1 and world = $2 and proposed_by = $3 and state = 'done' and secret_sealed is not null for update
   ), emptied as (
     update kassa.proposals p set secret_key_id = null, secret_sealed = null, secret_shown_at = $4 from taken where p.id = taken.id
   )
   select ${COLUMNS} from taken`,
)
const find = statement<GrantedSecret>(
  'find_proposal_secret',
  `select ${COLUMNS}
   from kassa.proposals where id = $1 and secret_sealed is not null`,
)
const unseen = statement<GrantedSecret>(
  'lock_unseen_proposal_secrets',
  `select ${COLUMNS}
   from kassa.proposals where world = $1 and secret_sealed is not null and state in ('done', 'refused') and decided_at <= $2
   order by id limit 1 for update skip locked`,
)

/** `secret`: null deletes it. */
export async function putSecret(tx: Queryable, id: string, secret: SealedSecret | null): Promise<void> {
  await put(tx, [id, secret?.keyId ?? null, secret?.sealed ?? null])
}

export async function findSecret(db: Queryable, id: string): Promise<GrantedSecret | null> {
  return (await find(db, [id]))[0] ?? null
}

/** Returns the secret to its proposer and deletes it, so of two who ask at once one gets it; null if there is none. */
export async function takeSecret(
  tx: Queryable,
  { id, proposedBy, now }: { id: string; proposedBy: string; now: Date },
): Promise<GrantedSecret | null> {
  return (await take(tx, [id, tx.world, proposedBy, now]))[0] ?? null
}

/** Returns a secret of the world that was made before `before` and that nobody has seen. It stays locked. */
export async function lockUnseenSecret(tx: Queryable, before: Date): Promise<GrantedSecret | null> {
  return (await unseen(tx, [tx.world, before]))[0] ?? null
}
