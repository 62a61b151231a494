// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.SupportsCatalogOptions;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// The data source that Spark finds under the name `penstock`: `spark.read.format("penstock").load(path)`.
///
/// Spark lets a data source without a catalog append and overwrite only. So this one comes with a catalog whose
/// tables are named by their paths ([PathCatalog]), and all four save modes work. The catalog is configured for
/// the session when the source is first used.
public final class PenstockSource implements SupportsCatalogOptions, DataSourceRegister {
    static final String NAME = "penstock";
    private static final String CATALOG_SETTING = "spark.sql.catalog." + NAME;

    /// For Spark.
    public PenstockSource() {}

    @Override
    public String shortName() {
        return NAME;
    }

    @Override
    public String extractCatalog(CaseInsensitiveStringMap options) {
        SparkSession session = SparkSession.active();
        if (session.conf().getOption(CATALOG_SETTING).isEmpty()) {
            session.conf().set(CATALOG_SETTING, PathCatalog.class.getName());
        }
        return NAME;
    }

    /// The path of the dataset. Its namespace says that it comes from a data frame and not from SQL, and whether
    /// a write shuffles, because Spark asks the table how it is written before it shows it the options.
    @Override
    public Identifier extractIdentifier(CaseInsensitiveStringMap options) {
        boolean isShuffled = options.containsKey(WriteOptions.SHUFFLE);
        String[] namespace = {isShuffled ? PathCatalog.SHUFFLED : PathCatalog.FRAME};
        return Identifier.of(namespace, path(options).toString());
    }

    /// There are no versions. Spark asks for one when it reads and not when it writes, so a dataset that does not
    /// exist is noticed here.
    @Override
    public Optional<String> extractTimeTravelVersion(CaseInsensitiveStringMap options) {
        DatasetPath path = path(options);
        try (Dataset _ = path.open()) {
            return Optional.empty();
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no dataset at " + path, e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DatasetPath path(CaseInsensitiveStringMap options) {
        // load(a, b) sets paths, a JSON list, and no path.
        String path = options.containsKey("path") ? options.get("path") : options.get("paths");
        if (path == null) {
            throw new IllegalArgumentException("a dataset needs a path: load(path) or save(path)");
        }
        return DatasetPath.parse(path);
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return PenstockTable.existing(path(options), PenstockTable.Use.FRAME).dataSchema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return PenstockTable.existing(path(new CaseInsensitiveStringMap(properties)), PenstockTable.Use.FRAME);
    }
}
