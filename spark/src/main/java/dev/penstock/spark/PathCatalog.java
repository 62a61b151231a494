// SPDX-License-Identifier: Apache-2.0
package dev.penstock.spark;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.TableInfo;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/// A catalog whose tables are datasets, named by their paths: ``select * from penstock.`/data/steps` ``.
///
/// It keeps nothing: a table exists when there is a dataset at its path. Datasets are not listed, dropped or
/// renamed here.
public final class PathCatalog implements TableCatalog {
    /// The namespace of the tables that data frames read and write.
    static final String FRAME = "frame";

    /// The namespace of the tables that data frames write with a shuffle.
    static final String SHUFFLED = "shuffled";

    private String name = PenstockSource.NAME;

    /// For Spark.
    public PathCatalog() {}

    @Override
    public void initialize(String name, CaseInsensitiveStringMap options) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    private static boolean isIn(Identifier table, String namespace) {
        return table.namespace().length == 1 && table.namespace()[0].equals(namespace);
    }

    private static PenstockTable.Use use(Identifier table) {
        return isIn(table, SHUFFLED)
                ? PenstockTable.Use.SHUFFLED
                : isIn(table, FRAME) ? PenstockTable.Use.FRAME : PenstockTable.Use.SQL;
    }

    /// A data frame may also be written where there is no dataset yet.
    @Override
    public Table loadTable(Identifier table) throws NoSuchTableException {
        DatasetPath path = DatasetPath.parse(table.name());
        if (tableExists(table)) {
            return PenstockTable.existing(path, use(table));
        }
        if (use(table) == PenstockTable.Use.SQL) {
            throw new NoSuchTableException(table);
        }
        return PenstockTable.absent(path, use(table), false);
    }

    /// Whether there is a dataset. Where another thing is, the writer refuses to write.
    @Override
    public boolean tableExists(Identifier table) {
        try (Dataset _ = DatasetPath.parse(table.name()).open()) {
            return true;
        } catch (NoSuchFileException | DatasetException.WrongFormat e) {
            return false;
        } catch (DatasetException.Corrupt e) {
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Table createTable(Identifier table, TableInfo info) throws TableAlreadyExistsException {
        if (tableExists(table)) {
            throw new TableAlreadyExistsException(table);
        }
        return PenstockTable.absent(DatasetPath.parse(table.name()), use(table), true);
    }

    /// Spark calls this after a failed creation, whose writer has removed its files.
    @Override
    public boolean dropTable(Identifier table) {
        return false;
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
        return new Identifier[0];
    }

    @Override
    public Table alterTable(Identifier table, TableChange... changes) {
        throw new UnsupportedOperationException("the fields of a dataset cannot be changed; write a new dataset");
    }

    @Override
    public void renameTable(Identifier table, Identifier to) {
        throw new UnsupportedOperationException("a dataset cannot be renamed here; rename its folder");
    }
}
