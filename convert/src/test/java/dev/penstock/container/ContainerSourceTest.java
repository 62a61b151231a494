// SPDX-License-Identifier: Apache-2.0
package dev.penstock.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.penstock.Dataset;
import dev.penstock.DatasetException;
import dev.penstock.Field;
import dev.penstock.Progress;
import dev.penstock.catalog.Catalog;
import dev.penstock.convert.BadRecords;
import dev.penstock.convert.Conversion;
import dev.penstock.convert.RecordSource;
import dev.penstock.convert.SourceOptions;
import dev.penstock.convert.Sources;
import dev.penstock.convert.TargetOptions;
import dev.penstock.table.DType;
import dev.penstock.table.RowType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files that the libraries of other formats wrote are read as these libraries read them.
class ContainerSourceTest {
    @TempDir
    Path folder;

    @Test
    void samplesAreDecodedOnRequest() throws IOException {
        assertEquals(
                "__key__=a/2,cls=10,json.n=2,json.words=xx,left.bin=\u0002\u0002,npy=[2, 3, 4, 5, 6, 7],txt=tëxt 2",
                Containers.lines("samples.tar", "all").get(2));
        assertEquals(
                "__key__=a/1,cls=5,json={\"n\": 1, \"words\": \"x\"},left.bin=\u0001",
                Containers.lines("samples.tar").get(1).split(",npy=")[0].replace("\\x01", "\u0001"));
    }

    @Test
    void plainArchivesHaveNamesAndContent() throws IOException {
        String png = "name=d/" + "y".repeat(90) + "/z.png,data=" + "z".repeat(700);
        String empty = "name=d/" + "ü".repeat(120) + ".txt,data=";
        assertEquals(List.of("name=README,data=12345", png), Containers.lines("ustar.tar"));
        for (String name : List.of("pax.tar", "pax.tar.zst", "gnu.tar.gz")) {
            assertEquals(List.of("name=README,data=12345", png, empty), Containers.lines(name), name);
        }
    }

    @Test
    void zipIsReadLikeTar() throws IOException {
        assertEquals(
                "__key__=s2,txt=hello hello ,cls=2",
                Containers.lines("samples.zip", "txt", "cls").get(2));
    }

    @Test
    void severalShardsAreOneSource() throws IOException {
        Files.copy(Containers.FOLDER.resolve("samples.tar"), folder.resolve("s-000.tar"));
        Files.copy(Containers.FOLDER.resolve("samples.tar"), folder.resolve("s-001.tar"));
        for (String name : List.of("", "s-*.tar", "s-{000..001}.tar")) {
            assertEquals(
                    6,
                    Containers.lines(folder.resolve(name), SourceOptions.DEFAULT)
                            .size(),
                    name);
        }
        Files.writeString(folder.resolve("s-002.tar"), "not a tar");
        assertThrows(
                IllegalArgumentException.class,
                () -> Containers.lines(folder.resolve("s-*.tar"), SourceOptions.DEFAULT));
    }

    @Test
    void examplesBecomeFields() throws IOException {
        assertEquals(
                List.of(
                        "ids=[],image=,label=-1,v=[0.0, 1.0, 2.0],words=,words.sizes=[]",
                        "ids=[0],image=\u0001,label=0,v=[0.5, 1.0, 2.0],words=a,words.sizes=[1]",
                        "ids=[0, 1],image=\u0002\u0002,label=1,v=[1.0, 1.0, 2.0],words=abc,words.sizes=[1, 2]",
                        "ids=[],image=\u0003\u0003\u0003,label=2,v=[1.5, 1.0, 2.0],words=,words.sizes=[]"),
                Containers.lines("examples.tfrecord"));
        assertEquals(
                "id=2,mat=[1, 2, 3, 1, 2, 3],mat.steps=[3, 3],steps=[0.0, 1.0],words=ab,words.sizes=[0, 2]",
                Containers.lines("sequences.tfrecord").get(2));
        assertEquals(3, Containers.lines("raw.tfrecord").size());
        assertEquals(4, Containers.lines("examples.tfrecord", "raw").size());
    }

    @Test
    void columnsOfMdsAndLeavesOfLitDataBecomeFields() throws IOException {
        String expected = "a=[2, 2, 2, 2],b=\u0002\u0002,d=[2, 2, 2],d.shape=[1, 3],f=1.0,i=-2,j={\"q\": 2}";
        for (String name : List.of("mds", "mds-zstd")) {
            assertEquals(expected, Containers.lines(name).get(2).split(",k=")[0], name);
            assertTrue(Containers.lines(name).get(2).endsWith(",n=100,r=[0.0, 1.0, 2.0],r.shape=[3],s=é2"), name);
        }
        assertEquals(
                "x=3,f=0.75,s=s3,b=\u0003\u0003\u0003,t=[3, 4, 5, 6, 7, 8],t.shape=[2, 3],v=[0, 1, 2],in.ok=false",
                Containers.lines("litdata").get(3));
    }

    @Test
    void documentsOfMegatronAreRagged() throws IOException {
        assertEquals(List.of("tokens=[1, 2, 3]", "tokens=[4]", "tokens=[5, 6]"), Containers.lines("tokens.idx"));
        assertEquals(Containers.lines("tokens.idx"), Containers.lines("tokens"));
        assertEquals(
                List.of(
                        "tokens=[1, 2, 3],tokens.sizes=[2, 1]",
                        "tokens=[4],tokens.sizes=[1]",
                        "tokens=[],tokens.sizes=[]"),
                Containers.lines("sentences.bin"));
    }

    @Test
    void imagesHaveSizesAndClasses() throws IOException {
        byte[] bitmap = new byte[30];
        System.arraycopy(new byte[] {'B', 'M', 30}, 0, bitmap, 0, 3);
        bitmap[18] = 4;
        bitmap[22] = 3;
        Files.createDirectories(folder.resolve("photos/dog"));
        Files.createDirectories(folder.resolve("photos/cat"));
        Files.write(folder.resolve("photos/dog/1.bmp"), bitmap);
        Files.writeString(folder.resolve("photos/cat/2.JPG"), "no image");
        List<String> lines = Containers.lines(folder.resolve("photos"), SourceOptions.DEFAULT);
        assertEquals("path=cat/2.JPG,data=no image,width=none,height=none,class=cat,label=0", lines.get(0));
        assertTrue(lines.get(1).endsWith(",width=4,height=3,class=dog,label=1"), lines.get(1));
        Files.writeString(folder.resolve("photos/metadata.csv"), "file_name,label\ndog/1.bmp,7\n");
        lines = Containers.lines(folder.resolve("photos"), SourceOptions.DEFAULT);
        assertTrue(lines.get(0).endsWith("height=none,label=none"), lines.get(0));
        assertTrue(lines.get(1).endsWith(",height=3,label=7"), lines.get(1));
    }

    @Test
    void openingOneAsADatasetSaysHowToConvertIt() {
        for (String name : Containers.ALL) {
            DatasetException e = assertThrows(
                    DatasetException.class,
                    () -> Catalog.open(Containers.FOLDER.resolve(name)).close(),
                    name);
            assertTrue(e.getMessage().contains("`penstock convert`"), e.getMessage());
        }
    }

    @Test
    void badRecordsAreListedAndTheOthersKept() throws IOException {
        byte[] bytes = Files.readAllBytes(Containers.FOLDER.resolve("raw.tfrecord"));
        bytes[13] ^= 1;
        Path file = Files.write(folder.resolve("bad.tfrecord"), bytes);
        DatasetException e = assertThrows(DatasetException.class, () -> Containers.lines(file, SourceOptions.DEFAULT));
        assertTrue(e.getMessage().contains("record 0: the data does not have its CRC (byte 0)"), e.getMessage());
        BadRecords bad = BadRecords.skipped();
        assertEquals(
                2, Containers.lines(file, SourceOptions.DEFAULT.withBad(bad)).size());
        assertEquals("0", bad.leftOut().getFirst().record());
        assertEquals(1, bad.leftOut().size());
    }

    @Test
    void fileThatGrowsMeanwhileIsAnError() throws IOException {
        for (String name : List.of("samples.tar", "raw.tfrecord")) {
            Path file = Files.copy(Containers.FOLDER.resolve(name), folder.resolve(name));
            try (RecordSource source = Sources.open(file, SourceOptions.DEFAULT)) {
                Files.write(file, new byte[512], StandardOpenOption.APPEND);
                IOException e = assertThrows(IOException.class, () -> Containers.lines(source));
                assertTrue(e.getMessage().contains("has changed since it was opened"), e.getMessage());
            }
        }
    }

    @Test
    void tokensBecomeDocumentsAndWindows() throws IOException {
        Path file = Files.write(folder.resolve("tokens.raw"), new byte[] {1, 0, 9, 0, 3, 0, 4, 0, 9, 0, 5, 0});
        SourceOptions raw = SourceOptions.DEFAULT.withCatalog(
                Catalog.Options.DEFAULT.withRawType(RowType.of(DType.parse("uint16"))));
        try (RecordSource documents = RecordSource.documents(Sources.open(file, raw), 9)) {
            assertEquals(List.of("tokens=[1, 9]", "tokens=[3, 4, 9]", "tokens=[5]"), Containers.lines(documents));
        }
        try (RecordSource windows = RecordSource.windows(Sources.open(file, raw), 4)) {
            assertEquals(List.of("value=[1, 9, 3, 4]"), Containers.lines(windows));
        }
        assertThrows(IllegalArgumentException.class, () -> RecordSource.documents(Sources.open(file, raw), 70_000));
    }

    /// The copy is stopped by an error after a commit, as by a kill, and ends like one that was not interrupted.
    @Test
    void interruptedConversionOfShardsEndsByteEqual() throws IOException {
        for (int i = 0; i < 3; i++) {
            Files.copy(Containers.FOLDER.resolve("samples.tar"), folder.resolve("s-" + i + ".tar"));
        }
        Path whole = folder.resolve("whole.tar");
        Path again = folder.resolve("again.tar");
        for (Path target : List.of(whole, again)) {
            try (RecordSource source = Sources.open(folder.resolve("s-*.tar"), SourceOptions.DEFAULT)) {
                RecordSource broken = target == again ? new Broken(source) : source;
                if (broken == source) {
                    convert(source, target);
                } else {
                    assertThrows(IOException.class, () -> convert(broken, target));
                    assertTrue(Files.notExists(target));
                    convert(source, target);
                }
            }
        }
        assertEquals(-1, Files.mismatch(whole, again));
    }

    private static void convert(RecordSource source, Path target) throws IOException {
        Conversion.of(source, target, null, TargetOptions.DEFAULT).run(Progress.NONE, Progress.NONE);
    }

    /// Ends with an error behind its records.
    private record Broken(RecordSource source) implements RecordSource {
        @Override
        public String name() {
            return source.name();
        }

        @Override
        public List<Field> fields() {
            return source.fields();
        }

        @Override
        public String fingerprint() throws IOException {
            return source.fingerprint();
        }

        @Override
        public Optional<Dataset> dataset() {
            return Optional.empty();
        }

        @Override
        public void forEach(BatchReceiver receiver, Progress progress) throws IOException {
            source.forEach(receiver, progress);
            throw new IOException("the cable was pulled");
        }

        @Override
        public void close() {}
    }

    @Test
    void memberThatCannotBeDecodedNamesSampleAndFile() throws IOException {
        byte[] bytes = Files.readAllBytes(Containers.FOLDER.resolve("samples.tar"));
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        bytes[text.indexOf("a/1.cls") + TarHeader.SIZE] = 'x';
        Path file = Files.write(folder.resolve("bad.tar"), bytes);
        SourceOptions options = SourceOptions.DEFAULT.withDecoded(Set.of("cls"));
        DatasetException e = assertThrows(DatasetException.class, () -> Containers.lines(file, options));
        assertTrue(e.getMessage().contains("record a/1: field cls: 'x' is not a whole number"), e.getMessage());
        BadRecords bad = BadRecords.skipped();
        assertEquals(2, Containers.lines(file, options.withBad(bad)).size());
        assertEquals("a/1", bad.leftOut().getFirst().record());
    }
}
