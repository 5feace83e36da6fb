/** The versions of the widget as they were first served. A row is never changed or removed. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('widget_releases', ['version', 'script', 'brotli', 'gzip'])
/** The script in each content coding. */
export type WidgetReleaseRecord = RecordOf<'widget_releases', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const listNames = statement<{ version: string }>(
  'list_widget_versions',
  'select version from kassa.widget_releases',
)

/** Stores a version. A version that is stored already is not changed. */
export const insertWidgetRelease = statement(
  'insert_widget_release',
  `insert into kassa.widget_releases (${COLUMNS}, released_at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
).run(({ version, script, brotli, gzip }: WidgetReleaseRecord, now: Date) => [
  version,
  script,
  brotli,
  gzip,
  now,
])

export const findWidgetRelease = statement<WidgetReleaseRecord>(
  'find_widget_release',
  `select ${COLUMNS} from kassa.widget_releases where version = $1`,
).first((version: string) => [version])

export const listWidgetReleases = statement<WidgetReleaseRecord>(
  'list_widget_releases',
  `select ${COLUMNS} from kassa.widget_releases`,
).all()

export async function listWidgetVersions(db: Queryable): Promise<string[]> {
  return (await listNames(db, [])).map(({ version }) => version)
}
