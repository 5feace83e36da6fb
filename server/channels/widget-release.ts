/**
 * The released versions of the widget, stored in the database.
 * Rule: the script of a released version never changes, because pages that pinned its hash would reject any other bytes.
 */
import type { Context } from '../context.ts'
import {
  findWidgetRelease,
  insertWidgetRelease,
  listWidgetReleases,
  type WidgetReleaseRecord,
} from '../storage/merchants/widget-releases.ts'
import { VERSION } from '../version.ts'
import { describeWidgetBuild, readWidgetBuilds, WIDGET_VERSION, type WidgetBuild } from './widget-build.ts'

export type WidgetReleases = {
  /** The script of the moving address: the build of this service's own version. Undefined if it is not built. */
  newest: WidgetBuild | undefined
  /** The highest version first. */
  list(): WidgetBuild[]
  find(version: string): Promise<WidgetBuild | undefined>
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
  return {
    newest,
    list: () =>
      [...released.values()].sort((one, other) =>
        other.version.localeCompare(one.version, 'en', { numeric: true }),
      ),
    async find(version) {
      const known = released.get(version)
      if (known || !WIDGET_VERSION.test(version)) return known
      // Another process may have released this version after our start.
      const found = await findWidgetRelease(db, version)
      if (found) released.set(version, toBuild(found))
      return released.get(version)
    },
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
