/** The tests that take minutes: `npm run test:long`. */
import config from '../../vite.config.ts'

export default {
  ...config,
  test: { ...config.test, projects: undefined, include: ['server/**/*.long.ts'], testTimeout: 600_000 },
}
