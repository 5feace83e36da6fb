import { type Row, type StatementFile, unreadable } from './file.ts'
export async function* camtRows(_file: StatementFile): AsyncGenerator<Row> {
  yield* []
  throw unreadable('not yet', 'statement_kind')
}
