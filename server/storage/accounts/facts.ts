/** What providers were found to allow accounts, as stored. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('account_facts', ['accountId', 'name', 'value', 'reason', 'source', 'learnedAt'])
/** `name`: a right. `source`: `account test`, or a provider's answer to a request of a payment. `reason`: for operators. */
export type FactRecord = RecordOf<'account_facts', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export const listAccountFacts = statement<FactRecord>(
  'list_account_facts',
  `select ${COLUMNS} from world.account_facts`,
).all()

/** Writes nothing if the same was stored within the last hour. */
export const saveAccountFact = statement(
  'save_account_fact',
  `insert into world.account_facts as f (account_id, name, value, reason, source, learned_at)
     select id, $2, $3, $4, $5, $6 from world.accounts where id = $1
   on conflict (account_id, name) do update
     set value = excluded.value, reason = excluded.reason, source = excluded.source, learned_at = excluded.learned_at
   where (f.value, f.reason, f.source) is distinct from (excluded.value, excluded.reason, excluded.source)
     or f.learned_at < excluded.learned_at - interval '1 hour'`,
).run(({ accountId, name, value, reason, source, learnedAt }: FactRecord) => [
  accountId,
  name,
  JSON.stringify(value),
  reason,
  source,
  learnedAt,
])

/** Facts that were found with earlier credentials may be wrong with the new ones. */
export const deleteAccountFacts = statement(
  'delete_account_facts',
  'delete from world.account_facts where account_id = $1',
).run((accountId: string) => [accountId])

export const deleteAccountFact = statement(
  'delete_account_fact',
  'delete from world.account_facts where account_id = $1 and name = $2',
).run((accountId: string, name: string) => [accountId, name])
