// The gateway serves this package's prebuilt browser bundle, which has its dependencies inside; installing the 250
// packages it was built from would only make every fresh clone slower and the supply chain longer.
function readPackage(manifest) {
  return manifest.name === '@scalar/api-reference' ? { ...manifest, dependencies: {} } : manifest;
}

/** What is packed has no use for them, and nobody else can resolve `workspace:*`. */
function beforePacking({ devDependencies, ...manifest }) {
  return manifest;
}

module.exports = { hooks: { readPackage, beforePacking } };
