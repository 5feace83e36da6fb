/** The tests that take minutes: `npm run test:long:unit`. */
import config from './vite.config.ts'

export default {
  ...config,
  test: { ...config.test, include: ['server/**/*.long.ts'], testTimeout: 600_000 },
}
