/** What a function costs PostgreSQL: each statement that it sends is explained with its values, as a prepared statement. */
import pg from 'pg'
import { type Db, openDb } from '../../storage/db.ts'

export type Cost = { ms: number; blocks: number; statements: number; rows: number; plans: string[] }
type Sent = { name?: string; text: string; values: unknown[] }
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
      const found: Cost = { ms: 0, blocks: 0, statements: all.length, rows: 0, plans: [] }
      for (const { name, text, values } of all) {
        const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : ''
        const asked = name === undefined ? text : `execute ${pg.escapeIdentifier(name)}${given}`
        const { rows } = await query(
          `explain (analyze, buffers, format json) ${asked}`,
          name === undefined ? values : undefined,
        )
        const [explained] = rows[0]['QUERY PLAN'] as [Explained]
        found.ms += explained['Execution Time']
        found.blocks += explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks']
        found.rows += explained.Plan['Actual Rows']
        found.plans.push(
          `${(name ?? text.slice(0, 20)).replace('sandbox.', '')}: ${scansOf(explained.Plan).join(', ')}`,
        )
      }
      return found
    },
    end: () => pool.end(),
  }
}

function scansOf(node: Node): string[] {
  const of = node['Index Name'] ?? node['Relation Name']
  const own = of === undefined || node['Node Type'] === 'Bitmap Heap Scan' ? [] : [of]
  return [...new Set([...own, ...(node.Plans ?? []).flatMap(scansOf)])]
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (Array.isArray(value))
    return `array[${value.map(literal).join(', ')}]${value.length === 0 ? '::text[]' : ''}`
  return pg.escapeLiteral(String(value))
}
