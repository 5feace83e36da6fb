/** Decides what events have told of, and what a crash or an error has left over. */
const { decideTold } = require('../lib/decide')

exports.__esModule = true
exports.default = decideTold
exports.config = { name: 'kassa-look', schedule: { interval: 20_000 } }
