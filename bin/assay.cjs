#!/usr/bin/env node
'use strict'
// Plain old JavaScript, so that an old Node reaches the line that says what it needs.
var fs = require('node:fs')
var moduleApi = require('node:module')
var path = require('node:path')
var url = require('node:url')

var parts = process.versions.node.split('.').map(Number)
var major = parts[0]
var sources, built
var supported = (major === 22 && parts[1] >= 19) || major === 24 || major >= 26

if (!supported) {
  process.stderr.write(
    `assay needs Node 22.19 or newer (22, 24, 26 and later); this is Node ${process.versions.node}.\n`,
  )
  process.exitCode = 2
} else {
  // Most of the start is compiling; what was compiled once is kept in the system's folder for temporary files.
  if (moduleApi.enableCompileCache !== undefined && moduleApi.enableCompileCache().directory !== undefined)
    process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || moduleApi.getCompileCacheDir()
  // The checkout runs its sources (Node strips the types); the package runs what tsc built from them.
  sources = path.join(__dirname, '..', 'src', 'cli', 'main.ts')
  built = path.join(__dirname, '..', 'dist', 'src', 'cli', 'main.js')
  void import(url.pathToFileURL(fs.existsSync(sources) ? sources : built).href)
}
