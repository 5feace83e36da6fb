/**
 * The released versions of the widget, stored in the database.
 * Rule: the script of a released version never changes, because pages that pinned its hash would reject any other bytes.
 */
import type { Context } from '../context.ts'
import { createMemoryBuckets } from '../limits/token-bucket.ts'
import {
  findWidgetRelease,
  insertWidgetRelease,
  listWidgetReleases,
  listWidgetVersions,
  type WidgetReleaseRecord,
} from '../storage/merchants/widget-releases.ts'
import { VERSION } from '../version.ts'
import {
  type ButtonTexts,
  describeWidgetBuild,
  readButtonTexts,
  readWidgetBuilds,
  WIDGET_VERSION,
  type WidgetBuild,
} from './widget-build.ts'

export type WidgetReleases = {
  /** The script of the moving address: the build of this service's own version. Undefined if it is not built. */
  newest: WidgetBuild | undefined
  /** The highest version first. */
  list(): WidgetBuild[]
  find(version: string): Promise<WidgetBuild | undefined>
  /** The texts of each language but English. They are data, so every version of the script may ask for those of the newest one. */
  texts: ReadonlyMap<string, ButtonTexts>
}

/** The values that a page needs to pin the widget. */
export type PinnedWidget = { version: string; scriptUrl: string; integrity: string }

type Parts = Pick<Context, 'db' | 'log' | 'clock'>

/** Stores new builds, and reads every released version. Logs a warning for a build that differs from its released version. */
export async function releaseWidget(
  { db, log, clock }: Parts,
  builds = readWidgetBuilds(),
): Promise<WidgetReleases> {
  for (const { version, bodies } of builds) {
    const { identity: script, br: brotli, gzip } = bodies
    await insertWidgetRelease(db, { version, script, brotli, gzip }, clock.now())
  }
  const released = new Map((await listWidgetReleases(db)).map((record) => [record.version, toBuild(record)]))
  const newest = builds.find(({ version }) => version === VERSION)
  if (!newest)
    log.warn(
      { version: VERSION },
      'The widget is not built, so pages show no button. Build it with: npm run build',
    )
  for (const { version, integrity } of builds)
    if (released.get(version)?.integrity !== integrity)
      log.warn(
        { version },
        'The built widget differs from the released one of the same version. Pages that pinned the version still get the ' +
          'released one. To release the new build, raise the version in package.json',
      )
  const refresh = refresherOf(db, released)
  return {
    newest,
    texts: readButtonTexts(VERSION),
    list: () =>
      [...released.values()].sort((one, other) =>
        other.version.localeCompare(one.version, 'en', { numeric: true }),
      ),
    async find(version) {
      const known = released.get(version)
      if (known || !WIDGET_VERSION.test(version)) return known
      await refresh()
      return released.get(version)
    },
  }
}

/** Another process may release a version after our start. Anybody can ask for unknown versions, so few requests cause a look-up. */
const REFRESHES = { perSecond: 1, burst: 5 }

/** Returns a function that adds what other processes have released. A flood of unknown versions hides no new one for long. */
function refresherOf(db: Context['db'], released: Map<string, WidgetBuild>): () => Promise<void> {
  const buckets = createMemoryBuckets()
  let running: Promise<void> | null = null
  const refresh = async () => {
    for (const version of await listWidgetVersions(db)) {
      const found = released.has(version) ? null : await findWidgetRelease(db, version)
      if (found) released.set(version, toBuild(found))
    }
  }
  return async () => {
    if (!running && buckets.take('refresh', REFRESHES).waitMs > 0) return
    running ??= refresh().finally(() => {
      running = null
    })
    await running
  }
}

/** Returns the current version with its permanent address and hash. Undefined if it is neither released nor built. */
export async function pinnedWidget({
  db,
  baseUrl,
}: Pick<Context, 'db' | 'baseUrl'>): Promise<PinnedWidget | undefined> {
  const found = await findWidgetRelease(db, VERSION)
  // An operator's command may run before the first start of the service releases the build.
  const build = found ? toBuild(found) : readWidgetBuilds().find(({ version }) => version === VERSION)
  return build && { version: VERSION, scriptUrl: baseUrl + build.path, integrity: build.integrity }
}

function toBuild({ version, script: identity, brotli: br, gzip }: WidgetReleaseRecord): WidgetBuild {
  return describeWidgetBuild(version, { identity, br, gzip })
}
