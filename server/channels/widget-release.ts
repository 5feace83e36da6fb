/**
 * The widget's versions, as the database keeps them: what was once served under a version stays it, whatever is built
 * later and wherever the service runs, since pages that pinned it by its hash take nothing else.
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
  /** What the moving address sends: the build of this service's own version; undefined where nobody built it. */
  newest: WidgetBuild | undefined
  /** The highest version first. */
  list(): WidgetBuild[]
  find(version: string): Promise<WidgetBuild | undefined>
}

/** What a page needs to pin the widget. */
export type PinnedWidget = { version: string; scriptUrl: string; integrity: string }

type Parts = Pick<Context, 'db' | 'log' | 'clock'>

/** Keeps what is built, and reads everything that was ever kept; a build that differs from its kept version is told. */
export async function releaseWidget(
  { db, log, clock }: Parts,
  builds = readWidgetBuilds(),
): Promise<WidgetReleases> {
  for (const { version, bodies } of builds) {
    const { identity: script, br: brotli, gzip } = bodies
    await insertWidgetRelease(db, { version, script, brotli, gzip }, clock.now())
  }
  const kept = new Map((await listWidgetReleases(db)).map((record) => [record.version, toBuild(record)]))
  const newest = builds.find(({ version }) => version === VERSION)
  if (!newest)
    log.warn({ version: VERSION }, 'The widget is not built, and pages get no button: npm run build')
  for (const { version, integrity } of builds)
    if (kept.get(version)?.integrity !== integrity)
      log.warn(
        { version },
        'The widget differs from the one that was released under its version, which stays as it is for the pages that ' +
          'pinned it: raise the version in package.json to release this one',
      )
  return {
    newest,
    list: () =>
      [...kept.values()].sort((one, other) =>
        other.version.localeCompare(one.version, 'en', { numeric: true }),
      ),
    async find(version) {
      const known = kept.get(version)
      if (known || !WIDGET_VERSION.test(version)) return known
      // A newer process beside this one may have released it in the meantime.
      const found = await findWidgetRelease(db, version)
      if (found) kept.set(version, toBuild(found))
      return kept.get(version)
    },
  }
}

/** The current version under its immutable address, for pages that pin it; undefined where it was never built. */
export async function pinnedWidget({
  db,
  baseUrl,
}: Pick<Context, 'db' | 'baseUrl'>): Promise<PinnedWidget | undefined> {
  const found = await findWidgetRelease(db, VERSION)
  // The operator's commands may come before the service's first start.
  const build = found ? toBuild(found) : readWidgetBuilds().find(({ version }) => version === VERSION)
  return build && { version: VERSION, scriptUrl: baseUrl + build.path, integrity: build.integrity }
}

function toBuild({ version, script: identity, brotli: br, gzip }: WidgetReleaseRecord): WidgetBuild {
  return describeWidgetBuild(version, { identity, br, gzip })
}
