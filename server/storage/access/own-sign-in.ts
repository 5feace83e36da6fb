/** By what one person signs in, as this person sees and changes it. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('passkeys', ['id', 'host', 'createdAt', 'usedAt'])
/** `host`: the host name that it belongs to. `usedAt`: null if it has signed nobody in yet. */
export type OwnPasskey = RecordOf<'passkeys', typeof FIELDS>

const COLUMNS = selected(FIELDS)

/** Until the transaction ends, nobody else changes by what this person signs in. */
export const lockUser = statement(
  'lock_console_user',
  'select from kassa.console_users where operator_id = $1 for no key update',
).run((operatorId: string) => [operatorId])

/** The oldest first. */
export const listOwnPasskeys = statement<OwnPasskey>(
  'list_own_passkeys',
  `select ${COLUMNS} from kassa.passkeys where operator_id = $1 order by created_at, id`,
).all((operatorId: string) => [operatorId])

export const deletePasskey = statement(
  'delete_own_passkey',
  'delete from kassa.passkeys where operator_id = $1 and id = $2',
).run((operatorId: string, id: string) => [operatorId, id])

export const countRecoveryCodes = statement<{ count: number }>(
  'count_recovery_codes',
  'select count(*)::int as count from kassa.recovery_codes where operator_id = $1',
).value('count', 0, (operatorId: string) => [operatorId])
