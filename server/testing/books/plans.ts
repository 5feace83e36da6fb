/** What a function or a page costs PostgreSQL: each statement that it sends is explained with its values, as a prepared statement. */
import pg from 'pg'
import { type Db, openDb } from '../../storage/db.ts'

export type Cost = { ms: number; blocks: number; statements: number; rows: number; plans: string[] }
export type Sent = { name?: string; text: string; values: unknown[] }
type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  Plans?: Node[]
}
type Explained = {
  Plan: Node & { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
  'Execution Time': number
}

/** A connection that remembers what it was asked. */
export type Watched = { db: Db; cost(work: () => Promise<unknown>): Promise<Cost>; end(): Promise<void> }

/** `plan`: whether PostgreSQL plans for the values, or once for all, as it may after five calls of a connection. */
export function watchPlans(url: string, plan: 'custom' | 'generic'): Watched {
  const pool = openDb(url, { world: 'sandbox', max: 1 })
  let sent: Sent[] | null = null
  const query = pool.query.bind(pool) as (config: unknown, values?: unknown[]) => Promise<pg.QueryResult>
  const watched = (config: Sent | string, values?: unknown[]) => {
    if (typeof config !== 'string') sent?.push(config)
    return query(config, values)
  }
  const db = new Proxy(pool, {
    get: (of, name) => (name === 'query' ? watched : Reflect.get(of, name)),
  })
  return {
    db,
    async cost(work) {
      await query(`set plan_cache_mode = force_${plan}_plan`)
      sent = []
      await work()
      const all = sent
      sent = null
      return explainAll(query, all)
    },
    end: () => pool.end(),
  }
}

type Query = (config: unknown, values?: unknown[]) => Promise<pg.QueryResult>

/** A named statement must be prepared on the connection that `query` uses. */
async function explainAll(query: Query, sent: readonly Sent[]): Promise<Cost> {
  const found: Cost = { ms: 0, blocks: 0, statements: sent.length, rows: 0, plans: [] }
  for (const { name, text, values } of sent) {
    const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
    const statement = name === undefined ? text : `execute ${pg.escapeIdentifier(name)}${given}`
    const { rows } = await query(
      `explain (analyze, buffers, format json) ${statement}`,
      name === undefined ? values : undefined,
    )
    const [explained] = rows[0]['QUERY PLAN'] as [Explained]
    const blocks = explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks']
    found.ms += explained['Execution Time']
    found.blocks += blocks
    found.rows += explained.Plan['Actual Rows']
    found.plans.push(
      `${(name ?? text.slice(0, 20)).replace('sandbox.', '')}, ${blocks} pages: ${scansOf(explained.Plan).join(', ')}`,
    )
  }
  return found
}

/** What statements cost that another connection has sent. Nothing stays of what they write. */
export async function costOf(db: Db, sent: readonly Sent[], plan: 'custom' | 'generic'): Promise<Cost> {
  const client = await db.connect()
  const query = client.query.bind(client) as Query
  try {
    await query('begin')
    await query(`set local plan_cache_mode = force_${plan}_plan`)
    // The first time prepares them and warms the caches.
    for (const each of sent) await query(each)
    return await explainAll(query, sent)
  } finally {
    await query('rollback')
    client.release()
  }
}

/** Returns what a pool is asked while `work` runs, without what begins and ends transactions. */
export async function listen(pool: Db, work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = []
  const own = pg.Client.prototype.query as (...given: unknown[]) => unknown
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [config, values] = given as [Sent | string, unknown]
    const isOwn = (this as unknown as { database: string }).database === databaseOf(pool)
    const text = typeof config === 'string' ? config : config.text
    if (isOwn && /^\s*(select|insert|update|delete|with)\b/i.test(text))
      sent.push({
        ...(typeof config !== 'string' && config.name !== undefined && { name: config.name }),
        text,
        values: (typeof config === 'string' ? (Array.isArray(values) ? values : []) : config.values) ?? [],
      })
    return own.apply(this, given)
  } as typeof pg.Client.prototype.query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = own as typeof pg.Client.prototype.query
  }
  return sent
}

const databaseOf = (pool: Db) => new URL(pool.options.connectionString ?? '').pathname.slice(1)

function scansOf(node: Node): string[] {
  const of = node['Index Name'] ?? node['Relation Name']
  const own = of === undefined || node['Node Type'] === 'Bitmap Heap Scan' ? [] : [of]
  return [...new Set([...own, ...(node.Plans ?? []).flatMap(scansOf)])]
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`)
  return pg.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

const element = (value: unknown) =>
  value === null ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`
