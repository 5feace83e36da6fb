/**
 * Which row of the books a line of a file is. The first line with a name has that name. A line of another kind, in the other direction
 * or with a further number has a longer one, so that two movements of money are never one row.
 */
import type { Context } from '../context.ts'
import {
  type Content,
  findContents,
  findStoredLines,
  type StoredLine,
} from '../storage/reports/statements.ts'
import type { NamedLine } from './reading/read.ts'

export type PlacedStatementLine = {
  line: NamedLine
  lineId: string
  stored: StoredLine | null
  contents: Content[]
}

export async function placeLines(
  ctx: Context,
  accountId: string,
  page: readonly NamedLine[],
): Promise<PlacedStatementLine[]> {
  const ids = [...new Set(page.flatMap((line) => [line.lineId, longerName(line)]))]
  const stored = new Map((await findStoredLines(ctx.db, accountId, ids)).map((each) => [each.lineId, each]))
  const contents = Map.groupBy(await findContents(ctx.db, accountId, ids), ({ lineId }) => lineId)
  const taken = new Set<string>()
  return page.map((line) => {
    const lineId = idOf(line, { stored, taken })
    taken.add(lineId)
    return { line, lineId, stored: stored.get(lineId) ?? null, contents: contents.get(lineId) ?? [] }
  })
}

const longerName = ({ lineId, kind, amountMinor, ordinal }: NamedLine) =>
  `${lineId} ${kind}${amountMinor < 0 ? '-' : '+'} ${ordinal}`

function idOf(
  line: NamedLine,
  { stored, taken }: { stored: ReadonlyMap<string, StoredLine>; taken: ReadonlySet<string> },
): string {
  const longer = longerName(line)
  if (line.ordinal > 1 || stored.has(longer)) return longer
  const known = stored.get(line.lineId)
  const isSame = known && known.kind === line.kind && known.amountMinor < 0 === line.amountMinor < 0
  return isSame || (!known && !taken.has(line.lineId)) ? line.lineId : longer
}
